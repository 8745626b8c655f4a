// Package pool decides, without doing any of it, what goes on in a voyage of long-lived workers of one repository: which worker gets
// the next dispatch, where its work begins and goes, and what its agent is told.
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

// Pool is a voyage of this kind, as far as decisions depend on it.
type Pool struct {
	Voyage string // its id
	Name   string // of the repository
}

var _ kind.Kind = Pool{}

// Look offers nothing to ships: what a worker does is given to it.
func (p Pool) Look(all tasks.Snapshot) *kind.View { return kind.NewView(all, false, nil) }

// IsDone is never so: there may always be another dispatch.
func (Pool) IsDone(tasks.Snapshot) bool { return false }

// Gives is so: the captain's commands are for workers that wait.
func (Pool) Gives() bool { return true }

// Give gives waiting dispatches to free workers, first come, first served. A dispatch that names its worker, or the worker's
// provider, waits for such a worker, and lets others go ahead.
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

// share gives each dispatch the first of the workers that may do it, and lists the dispatches for which there is none.
func share(queue []*tasks.State, free []kind.Ship) (gifts []kind.Gift, left []*tasks.State) {
	free = slices.Clone(free)
	none := map[kind.Ship]bool{} // what was looked for in vain: fewer are free later
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

// may reports whether a worker fits what the captain asked for; "" fits any.
func may(wants, s kind.Ship) bool {
	return (wants.Name == "" || wants.Name == s.Name) && (wants.Provider == "" || wants.Provider == s.Provider)
}

// Queue lists the dispatches that no worker has, the next one first: by priority, then as they were asked for.
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

// Lacks lists the providers of the workers that the queue could use beyond the coming ones: a provider for each dispatch that
// names no worker, "" for any.
func Lacks(all tasks.Snapshot, coming []kind.Ship) (from []string) {
	_, left := share(slices.DeleteFunc(Queue(all), func(t *tasks.State) bool { return t.Worker() != "" }), coming)
	for _, t := range left {
		from = append(from, t.Provider())
	}
	return from
}

// Refuse returns an error if a dispatch would wait without end: the pool has all the workers that it may have, and none comes from
// the provider that the dispatch names.
func Refuse(d tasks.Dispatch, workers []kind.Ship, most int) error {
	if d.Provider == "" || d.Worker != "" || len(workers) < most || slices.ContainsFunc(workers, func(s kind.Ship) bool { return s.Provider == d.Provider }) {
		return nil
	}
	return fmt.Errorf("none of its workers comes from %s, and there may be no more than %d: raise --max, or drain one", d.Provider, most)
}

// Tell gives the agent the command as the captain wrote it.
func (Pool) Tell(t *tasks.State) string { return t.Description }

// Base is the commit that was the newest when the captain dispatched it.
func (Pool) Base(t *tasks.State) string { return t.Dispatch().Base }

// Merge brings the work of a dispatch to a branch of its own.
func (p Pool) Merge(t *tasks.State, ship, summary string) sync.Merge {
	m := kind.Commit(p.Voyage, t, ship, summary)
	m.Onto = dispatch.Branch(ship, t.ID)
	return m
}

// Folder has a branch for each dispatch.
func (Pool) Folder() string { return dispatch.Folder }

// Tries lets a dispatch fail once: the captain decides on what follows.
func (Pool) Tries() int { return 1 }

// Next lets a pool sail as long as it is not sunk.
func (Pool) Next(phase fleet.Phase, _ tasks.Snapshot, _ *kind.Result) kind.Step {
	return kind.Step{Phase: phase}
}

// Closed says why no dispatch is given to workers in a phase, nil when they are.
func (Pool) Closed(phase fleet.Phase) error { return kind.IsClosed(phase) }

// Over says why workers have nothing more to do in a phase, "" when they may have.
func (Pool) Over(phase fleet.Phase) string {
	if phase.IsOver() {
		return "the pool is " + string(phase)
	}
	return ""
}

// Done has all work merged, each to its branch.
func (Pool) Done(tasks.Snapshot, *tasks.State, string) (kind.Outcome, error) { return kind.Merge, nil }

// Parents are none: a dispatch is whole.
func (Pool) Parents(tasks.Snapshot) []kind.Parent { return nil }

// Plans lets only the captain add tasks.
func (Pool) Plans(*tasks.State) int { return 0 }

// Crew names workers after the repository.
func (p Pool) Crew(number int, _ []string) (name, role string) {
	return fmt.Sprintf("%s-%d", p.Name, number), fleet.Worker
}

// First is the number of the first worker.
func (Pool) First() int { return 1 }

// Offer offers nothing, as Look does.
func (Pool) Offer([]string) proto.Verdict { return proto.Verdict{} }
