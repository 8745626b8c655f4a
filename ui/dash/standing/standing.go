// Package standing holds the tasks of a board at a time: where each of them stands, how it looks and why it waits.
package standing

import (
	"slices"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/dispatch"
	"ocaptain/tasks"
	"ocaptain/theme"
	"ocaptain/ui/dash/attention"
	"ocaptain/ui/dash/pane"
	"ocaptain/ui/words"
)

// Tasks holds the tasks of a board, judged at a time.
type Tasks struct {
	Board     *fleet.Board // nil before the first board
	Now       time.Time
	Needs     *attention.Needs
	All       []tasks.State // all tasks of the board
	Order     *tasks.Order
	Standings []fleet.Standing
	Tally     fleet.Tally
	Places    map[int32]int // places in the queue of a pool's waiting dispatches, counted from 1
	Version   int           // grows with every change
	due       time.Time     // when the next task that waits for a time may become ready
}

// SetBoard judges another board, which must not be changed afterwards. It reports whether its tasks, or what they
// wait for, differ from the last board's.
func (p *Tasks) SetBoard(board *fleet.Board, now time.Time) (changed bool) {
	old := p.All
	p.Board, p.All, p.Now = board, board.Tasks, now
	if changed = p.Order == nil || !sameOrder(old, p.All); changed {
		p.Order = tasks.NewOrder(len(p.All), p.Task)
	}
	p.judge()
	return changed
}

// Place returns the index of the task with that id.
func (p *Tasks) Place(id string) (int32, bool) {
	if p.Order == nil {
		return 0, false
	}
	i, ok := p.Order.Place[id]
	return i, ok
}

// SetNow sets the time, and reports whether a task that waited for it may be ready.
func (p *Tasks) SetNow(now time.Time) bool {
	p.Now = now
	if p.due.IsZero() || p.due.After(now) {
		return false
	}
	p.judge()
	return true
}

// SetNeeds sets the needs of the board.
func (p *Tasks) SetNeeds(needs *attention.Needs) {
	p.Needs = needs
	p.Version++
}

// stand judges every task of the board.
func stand(all []tasks.State, o *tasks.Order, now time.Time, into []fleet.Standing) ([]fleet.Standing, fleet.Tally) {
	if cap(into) < len(all) {
		into = make([]fleet.Standing, len(all))
	}
	into = into[:len(all)]
	var n fleet.Tally
	for i := range all {
		into[i] = fleet.Stand(&all[i], len(o.Missing(int32(i))) > 0 || holds(all, o.Before[i]), now)
		n[into[i]]++
	}
	return into, n
}

// holds reports whether one of these blockers is not completed.
func holds(all []tasks.State, blockers []int32) bool {
	for _, j := range blockers {
		if all[j].Status != tasks.Completed {
			return true
		}
	}
	return false
}

// Task returns the task at that place.
func (p *Tasks) Task(i int) *tasks.Task { return &p.All[i].Task }

// sameOrder reports whether two boards differ at most in the states of their tasks.
func sameOrder(a, b []tasks.State) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		x, y := &a[i], &b[i]
		if x.ID != y.ID || !slices.Equal(x.BlockedBy, y.BlockedBy) || !slices.Equal(x.Blocks, y.Blocks) {
			return false
		}
	}
	return true
}

// Root returns the task on hold for which a task waits and for nothing else, clean to show; "" for none.
func (p *Tasks) Root(id string) string { return words.FitWidth(pane.Line(p.Needs.Root(id)), 16) }

// judge computes where every task stands now, and when to judge again.
func (p *Tasks) judge() {
	p.Standings, p.Tally = stand(p.All, p.Order, p.Now, p.Standings)
	p.Version++
	p.due = time.Time{}
	for i := range p.All {
		if at := p.All[i].NotBefore; p.Standings[i] == fleet.TaskDelayed && at.After(p.Now) && (p.due.IsZero() || at.Before(p.due)) {
			p.due = at
		}
	}
	if p.IsPool() {
		p.rank()
	}
}

// IsPool reports whether the tasks are dispatches: they wait for workers, not for each other.
func (p *Tasks) IsPool() bool { return p.Board != nil && p.Board.Voyage.PoolName() != "" }

// Look returns the look of a task.
func (p *Tasks) Look(i int32) theme.State {
	s := p.Standings[i]
	if !p.IsPool() {
		return theme.Task(s)
	}
	switch s {
	case fleet.TaskOnHold:
		if p.All[i].HeldBy == fleet.Captain {
			return theme.Task(s)
		}
		return theme.DispatchState(dispatch.Failed).Needing()
	case fleet.TaskWorking:
		return theme.DispatchState(dispatch.Running)
	case fleet.TaskDone:
		return theme.DispatchState(dispatch.Done)
	case fleet.TaskCancelled:
		return theme.Task(s)
	}
	return theme.DispatchState(dispatch.Queued)
}

// rank numbers the dispatches that wait for a worker.
func (p *Tasks) rank() {
	var waiting []int32
	for i := range p.All {
		if p.All[i].IsQueued() {
			waiting = append(waiting, int32(i))
		}
	}
	slices.SortStableFunc(waiting, func(a, b int32) int { return tasks.CompareIDs(p.All[a].ID, p.All[b].ID) })
	p.Places = make(map[int32]int, len(waiting))
	for n, i := range waiting {
		p.Places[i] = n + 1
	}
}
