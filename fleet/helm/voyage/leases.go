package voyage

import (
	"context"
	"errors"
	"fmt"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/hubs"
	"ocaptain/fleet/helm/rights"
	"ocaptain/fleet/retry"
	"ocaptain/tasks"
)

// beats is how often a hub says within a lease that it is there.
const beats = 5

// keepLease says to other hubs that this one is there, and makes the tasks of hubs that are gone available to others.
func (v *Voyage) keepLease() {
	term := v.Info.Shared.Lease
	if term <= 0 {
		return
	}
	leases := hubs.Leases{Own: v.Info.Shared.Hub, Term: term}
	for retry.Sleep(v.Context, term/beats) == nil {
		heard := v.Store.Heard()
		if len(heard) < 2 {
			continue
		}
		err := v.Store.Alive(v.Context) // the captain is told while Redis does not answer
		for _, hub := range leases.Look(time.Now(), v.Store.Heard(), err != nil) {
			if err := v.Hinders.OrAway("", v.inherit(hub)); err != nil && v.Context.Err() == nil {
				v.Log.Warn("tasks of a hub that is gone", "hub", hub, "error", err)
			}
		}
	}
}

// inherit makes the tasks available that a hub had which is gone. Work of its that is on the branch is complete.
func (v *Voyage) inherit(hub int) error {
	var failed []error
	for _, t := range hubs.Left(v.Store.Snapshot(), hub) {
		var no *tasks.Refusal
		if err := v.inheritOne(t); err != nil && !errors.As(err, &no) { // another hub has just done it
			failed = append(failed, err)
		}
	}
	return errors.Join(failed...)
}

func (v *Voyage) inheritOne(t *tasks.State) error {
	ctx, cancel := context.WithTimeout(v.Context, time.Minute)
	defer cancel()
	if done, err := v.claims.Merged(ctx, t); done || err != nil {
		return err
	}
	why := fmt.Sprintf("nothing was heard of the hub of %s for %s", hubs.Ship(t), v.Info.Shared.Lease)
	back := tasks.Requeue{Task: t.ID, Reason: why}
	switch {
	case t.Status == tasks.InProgress: // the work or the review
		back.Owner, back.Epoch = t.Owner, t.Epoch
	case !t.InReview():
		back.Owner = t.ReservedFor
	case v.getWork(ctx, t, t.HandIn.Commit) != nil || v.Work.Upstream == nil:
		back.Back = t.HandIn.Commit
	case v.Info.Validators == 0: // a hub with a validator takes it
		return nil
	default:
		return v.As(rights.Clock).TakeReview(ctx, t.ID, t.HandIn.Commit, true)
	}
	if err := v.As(rights.Clock).Requeue(ctx, back); err != nil {
		return err
	}
	v.Notes.Add(fleet.Note{Task: t.ID, Text: fmt.Sprintf("task %s is no longer with %s: %s", t.ID, hubs.Ship(t), why)})
	return nil
}
