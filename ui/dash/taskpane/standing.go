package taskpane

import (
	"slices"
	"time"

	"ocaptain/fleet"
	"ocaptain/tasks"
	"ocaptain/theme"
	"ocaptain/ui/dash/attention"
	"ocaptain/ui/dash/pane"
	"ocaptain/ui/words"
)

// Tasks are the tasks of a board, judged at a moment.
type Tasks struct {
	board     *fleet.Board // nil before the first one
	now       time.Time
	needs     *attention.Needs
	all       []tasks.State // of the board
	order     *tasks.Order
	standings []fleet.Standing
	tally     fleet.Tally
	places    map[int32]int // of the dispatches of a pool that wait, counted from 1
	version   int           // grows with what is known
	due       time.Time     // when the next task that waits for a time may become ready
}

// setBoard judges another board, which must not be changed afterwards. It reports whether
// it has other tasks than the last one, or they wait for others.
func (p *Tasks) setBoard(board *fleet.Board, now time.Time) (changed bool) {
	old := p.all
	p.board, p.all, p.now = board, board.Tasks, now
	if changed = p.order == nil || !sameOrder(old, p.all); changed {
		p.order = tasks.NewOrder(len(p.all), p.task)
	}
	p.judge()
	return changed
}

// place returns where the task of that id is among all of them.
func (p *Tasks) place(id string) (int32, bool) {
	if p.order == nil {
		return 0, false
	}
	i, ok := p.order.Place[id]
	return i, ok
}

// setNow says what time it is, and reports whether a task that waited for it may be ready.
func (p *Tasks) setNow(now time.Time) bool {
	p.now = now
	if p.due.IsZero() || p.due.After(now) {
		return false
	}
	p.judge()
	return true
}

// setNeeds says what of the board needs the captain.
func (p *Tasks) setNeeds(needs *attention.Needs) {
	p.needs = needs
	p.version++
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

// holds reports whether one of those blockers is not completed.
func holds(all []tasks.State, blockers []int32) bool {
	for _, j := range blockers {
		if all[j].Status != tasks.Completed {
			return true
		}
	}
	return false
}

func (p *Tasks) task(i int) *tasks.Task { return &p.all[i].Task }

// sameOrder reports whether two boards differ at most in what became of their tasks.
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

// root is the task on hold that a task waits for and for nothing else, fit to be shown; "" for none.
func (p *Tasks) root(id string) string { return words.FitWidth(pane.Line(p.needs.Root(id)), 16) }

// judge says where every task stands now, and when that must be looked at again.
func (p *Tasks) judge() {
	p.standings, p.tally = stand(p.all, p.order, p.now, p.standings)
	p.version++
	p.due = time.Time{}
	for i := range p.all {
		if at := p.all[i].NotBefore; p.standings[i] == fleet.TaskDelayed && at.After(p.now) && (p.due.IsZero() || at.Before(p.due)) {
			p.due = at
		}
	}
	if p.isPool() {
		p.rank()
	}
}

// isPool reports whether the tasks are dispatches: they wait for workers, not for each other.
func (p *Tasks) isPool() bool { return p.board != nil && p.board.Voyage.PoolName() != "" }

// look is how a task looks.
func (p *Tasks) look(i int32) theme.State {
	s := p.standings[i]
	if !p.isPool() {
		return theme.Task(s)
	}
	switch s {
	case fleet.TaskOnHold:
		return theme.DispatchState(fleet.DispatchFailed).Needing()
	case fleet.TaskWorking:
		return theme.DispatchState(fleet.DispatchRunning)
	case fleet.TaskDone:
		return theme.DispatchState(fleet.DispatchDone)
	case fleet.TaskCancelled:
		return theme.Task(s)
	}
	return theme.DispatchState(fleet.DispatchQueued)
}

// rank gives each dispatch that waits for a worker its place in the queue.
func (p *Tasks) rank() {
	var waiting []int32
	for i := range p.all {
		if p.all[i].IsQueued() {
			waiting = append(waiting, int32(i))
		}
	}
	slices.SortStableFunc(waiting, func(a, b int32) int { return tasks.CompareIDs(p.all[a].ID, p.all[b].ID) })
	p.places = make(map[int32]int, len(waiting))
	for n, i := range waiting {
		p.places[i] = n + 1
	}
}
