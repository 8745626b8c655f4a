// Package pool decides what happens in a voyage of long-lived workers on one repository: which worker gets the next dispatch, where
// its work begins and goes, and what its agent is told. It only decides; helm acts.
package pool

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/dispatch"
	"ocaptain/fleet/helm/kind"
	"ocaptain/fleet/proto"
	"ocaptain/sync"
	"ocaptain/tasks"
)

// Pool holds the settings of such a voyage on which decisions depend.
type Pool struct {
	Voyage string // its id
	Name   string // of the repository
}

var _ kind.Kind = Pool{}

// Look returns a view in which ships may claim nothing, since helm gives them their work.
func (p Pool) Look(all tasks.Snapshot) *kind.View { return kind.NewView(all, false, nil) }

// IsDone returns false: another dispatch may always follow.
func (Pool) IsDone(tasks.Snapshot) bool { return false }

// Gives returns true: helm gives the captain's commands to workers that wait.
func (Pool) Gives() bool { return true }

// Give gives waiting dispatches to free workers, first come, first served. A dispatch that names a worker or a provider
// waits for such a worker, while later dispatches may overtake it.
func (Pool) Give(now time.Time, all tasks.Snapshot, free []kind.Ship) []kind.Gift {
	has := map[string]bool{}
	for _, t := range all.Open() {
		if has[t.ReservedFor] = true; t.Status == tasks.InProgress {
			has[t.Owner] = true
		}
	}
	free = slices.DeleteFunc(slices.Clone(free), func(s kind.Ship) bool { return has[s.Name] })
	ready := slices.DeleteFunc(Queue(all), func(t *tasks.State) bool { return t.RemainingDelay(now) > 0 })
	gifts, _ := share(ready, free)
	return gifts
}

// share gives each dispatch the first worker that may do it, and returns the dispatches for which there is none.
func share(queue []*tasks.State, free []kind.Ship) (gifts []kind.Gift, left []*tasks.State) {
	free = slices.Clone(free)
	none := map[kind.Ship]bool{} // kinds of workers that were not found; fewer are free later
	for n, t := range queue {
		if len(free) == 0 {
			return gifts, append(left, queue[n:]...)
		}
		wants, i := kind.Ship{Name: t.Worker(), Provider: t.Provider()}, -1
		if !none[wants] {
			i = slices.IndexFunc(free, func(s kind.Ship) bool { return may(wants, s) })
		}
		if i < 0 {
			none[wants] = true
			left = append(left, t)
			continue
		}
		gifts = append(gifts, kind.Gift{Task: t.ID, Ship: free[i].Name})
		free = slices.Delete(free, i, i+1)
	}
	return gifts, left
}

// may reports whether a worker satisfies what the captain asked for; "" is satisfied by any.
func may(wants, s kind.Ship) bool {
	return (wants.Name == "" || wants.Name == s.Name) && (wants.Provider == "" || wants.Provider == s.Provider)
}

// Queue lists the dispatches that no worker has, the next one first: by priority, and then in the order of requests.
func Queue(all tasks.Snapshot) []*tasks.State {
	var queue []*tasks.State
	for _, t := range all.Open() {
		if t.IsQueued() {
			queue = append(queue, t)
		}
	}
	slices.SortStableFunc(queue, func(a, b *tasks.State) int { return cmp.Compare(a.Priority(), b.Priority()) })
	return queue
}

// Lacks lists the providers of the workers that the queue could use in addition to the workers that are coming: one for each
// dispatch that names no worker, "" for any provider.
func Lacks(all tasks.Snapshot, coming []kind.Ship) (from []string) {
	_, left := share(slices.DeleteFunc(Queue(all), func(t *tasks.State) bool { return t.Worker() != "" }), coming)
	for _, t := range left {
		from = append(from, t.Provider())
	}
	return from
}

// Refuse returns an error if a dispatch could never be given to a worker: the pool has as many workers as it may have, and none comes from the
// provider that the dispatch names.
func Refuse(d tasks.Dispatch, workers []kind.Ship, most int) error {
	if d.Provider == "" || d.Worker != "" || len(workers) < most || slices.ContainsFunc(workers, func(s kind.Ship) bool { return s.Provider == d.Provider }) {
		return nil
	}
	return fmt.Errorf("none of its workers comes from %s, and there may be no more than %d: raise --max, or drain one", d.Provider, most)
}

// Tell returns the command as the captain wrote it.
func (Pool) Tell(t *tasks.State) string { return t.Description }

// Base returns the commit at which the captain dispatched it.
func (Pool) Base(t *tasks.State) string { return t.Dispatch().Base }

// Merge returns a merge to a branch of the dispatch's own.
func (p Pool) Merge(t *tasks.State, ship, summary string) sync.Merge {
	m := kind.Commit(p.Voyage, t, ship, summary)
	m.Onto = dispatch.Branch(ship, t.ID)
	return m
}

// Folder returns the folder in which each dispatch has its branch.
func (Pool) Folder() string { return dispatch.Folder }

// Tries returns 1: after one failure the captain decides what follows.
func (Pool) Tries() int { return 1 }

// Next keeps a pool sailing until it is sunk.
func (Pool) Next(phase fleet.Phase, _ tasks.Snapshot, _ *kind.Result) kind.Step {
	return kind.Step{Phase: phase}
}

// Closed returns an error that says why helm gives no dispatch to workers in a phase, nil when it does.
func (Pool) Closed(phase fleet.Phase) error { return kind.IsClosed(phase) }

// Over says why workers have nothing left to do in a phase, "" when they may have.
func (Pool) Over(phase fleet.Phase) string {
	if phase.IsOver() {
		return "the pool is " + string(phase)
	}
	return ""
}

// Done returns that all work is merged, each to its own branch.
func (Pool) Done(tasks.Snapshot, *tasks.State, string) (kind.Outcome, error) { return kind.Merge, nil }

// Parents returns none: a dispatch has no parts.
func (Pool) Parents(tasks.Snapshot) []kind.Parent { return nil }

// Plans returns 0: only the captain may add tasks.
func (Pool) Plans(*tasks.State) int { return 0 }

// Crew names workers after the repository.
func (p Pool) Crew(number int, _ []string) (name, role string) {
	return fmt.Sprintf("%s-%d", p.Name, number), fleet.Worker
}

// First returns 1, the number of the first worker.
func (Pool) First() int { return 1 }

// Offer returns nothing, as Look does.
func (Pool) Offer([]string) proto.Verdict { return proto.Verdict{} }
