// Package pool decides, without doing any of it, what goes on in a voyage of long-lived workers of one repository: which worker gets
// the next dispatch, where its work begins and goes, and what its agent is told.
package pool

import (
	"fmt"
	"slices"
	"time"

	"ocaptain/fleet"
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

// Give gives the dispatches that wait to the workers that are free, first come, first served. One that names its worker waits
// for that, and lets others go ahead.
func (Pool) Give(now time.Time, all tasks.Snapshot, free []string) []kind.Gift {
	free = slices.Clone(free)
	for _, t := range all.Tasks {
		free = slices.DeleteFunc(free, func(ship string) bool {
			return t.ReservedFor == ship || t.Status == tasks.InProgress && t.Owner == ship
		})
	}
	var gifts []kind.Gift
	for _, t := range Queue(all) {
		if t.RemainingDelay(now) > 0 {
			continue
		}
		worker := t.Dispatch().Worker
		i := slices.IndexFunc(free, func(ship string) bool { return worker == "" || worker == ship })
		if i < 0 {
			continue
		}
		gifts = append(gifts, kind.Gift{Task: t.ID, Ship: free[i]})
		free = slices.Delete(free, i, i+1)
	}
	return gifts
}

// Queue lists the dispatches that no worker has, the next one first.
func Queue(all tasks.Snapshot) []*tasks.State {
	var queue []*tasks.State
	for _, t := range all.Tasks {
		if t.IsQueued() {
			queue = append(queue, t)
		}
	}
	slices.SortFunc(queue, func(a, b *tasks.State) int { return tasks.CompareIDs(a.ID, b.ID) })
	return queue
}

// Lacks says how many workers more the dispatches could use that wait for any worker, beside those that are being made.
func Lacks(all tasks.Snapshot, coming int) int {
	n := 0
	for _, t := range Queue(all) {
		if t.Dispatch().Worker == "" {
			n++
		}
	}
	return max(0, n-coming)
}

// Tell gives the agent the command as the captain wrote it.
func (Pool) Tell(t *tasks.State) string { return t.Description }

// Base is the commit that was the newest when the captain dispatched it.
func (Pool) Base(t *tasks.State) string { return t.Dispatch().Base }

// Merge brings the work of a dispatch to a branch of its own.
func (p Pool) Merge(t *tasks.State, ship, summary string) sync.Merge {
	m := kind.Commit(p.Voyage, t, ship, summary)
	m.Onto = fleet.DispatchBranch(ship, t.ID)
	return m
}

// Folder has a branch for each dispatch.
func (Pool) Folder() string { return fleet.DispatchFolder }

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

// ShipName names workers after the repository.
func (p Pool) ShipName(number int) string { return fmt.Sprintf("%s-%d", p.Name, number) }

// First is the number of the first worker.
func (Pool) First() int { return 1 }

// Begin tells an agent nothing: it waits for its first dispatch.
func (Pool) Begin(string) string { return "" }

// Offer offers nothing, as Look does.
func (Pool) Offer([]string) proto.Verdict { return proto.Verdict{} }

// Call has an agent go on with its dispatch that stopped in the middle of it.
func (Pool) Call(proto.Verdict) string {
	return "Your dispatch is not done yet: go on with it, and end your turn when it is."
}
