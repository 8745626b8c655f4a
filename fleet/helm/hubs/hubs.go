// Package hubs decides which tasks belong to which hub, when several hubs share the tasks of a session. It only
// decides; helm acts.
package hubs

import (
	"cmp"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/helm/kind"
	"ocaptain/sync"
	"ocaptain/tasks"
	"ocaptain/tasks/ledger"
)

// Of returns the number of the hub to which a task belongs: a ship of that hub works on it, was the last to do so, or
// has handed in the work in review, unless another hub has taken over the review.
func Of(t *tasks.State) int {
	switch {
	case !t.InReview():
		return t.Hub
	case t.HandIn.Taken:
		return t.HandIn.By
	}
	return t.HandIn.Hub
}

// CheckOwn refuses what the captain wants of a task that another hub than own has in its hands.
func CheckOwn(own int, t *tasks.State) error {
	if Of(t) == own || t.Owner == fleet.Coordinator || t.Status == tasks.Completed || t.Status == tasks.Pending && !t.InReview() {
		return nil
	}
	return api.Refused("task %s is in the hands of another hub, by its %s: do that there", t.ID, Ship(t))
}

// Ship returns the ship that works on a task, or for which the task is reserved.
func Ship(t *tasks.State) string {
	if t.InReview() {
		return cmp.Or(t.Owner, t.HandIn.Owner)
	}
	return cmp.Or(t.Owner, t.ReservedFor)
}

// Landed returns the commit of the branch that holds work on a task whose completion was not recorded, "" for none. A hub that lost its claim
// at the moment of its push leaves such a commit. Work that was reverted does not count, and neither does a completion that was recorded
// before the task was reopened.
func Landed(session string, history []sync.Commit, t *tasks.State, events []tasks.Event) string {
	recorded := map[uint64]bool{}
	for _, e := range events {
		if e.Kind == ledger.Completed {
			recorded[e.Epoch] = true
		}
	}
	for _, c := range kind.Landed(session, history) {
		if c.IsOf(t) && !recorded[c.Epoch] {
			return c.Commit
		}
	}
	return ""
}

// IsCurrent reports whether a task is still under the claim that was has, or the work that was hands in is still the work to merge.
func IsCurrent(now, was *tasks.State) bool {
	switch {
	case now == nil || now.Status == tasks.Completed:
		return false
	case was.InReview():
		return now.Approved() && now.HandIn.Commit == was.HandIn.Commit && now.HandIn.Epoch == was.HandIn.Epoch
	}
	return now.Status == tasks.InProgress && now.Owner == was.Owner && now.Epoch == was.Epoch
}
