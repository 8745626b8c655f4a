package voyage

import (
	"context"
	"errors"
	"fmt"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/clean"
	"ocaptain/fleet/helm/blame"
	"ocaptain/fleet/helm/hubs"
	"ocaptain/fleet/helm/review"
	"ocaptain/fleet/helm/rights"
	"ocaptain/fleet/retry"
	"ocaptain/tasks"
)

// inheritTime bounds the transfer of a task's work.
const inheritTime = 5 * time.Minute

// beats is how often a hub says within a lease that it is there.
const beats = 5

// keepLease says to other hubs that this one is there, and makes the tasks of hubs that are gone available to others.
func (v *Voyage) keepLease() {
	term := v.Info.Shared.Lease
	if term <= 0 || v.redis == nil { // nil while it is being sunk
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

// keepShared keeps what hubs share of unmerged work up to date.
func (v *Voyage) keepShared() {
	if v.redis != nil {
		pause := time.Minute
		if term := v.Info.Shared.Lease; term > 0 {
			pause = max(time.Second, min(pause, term/(2*beats)))
		}
		v.shared.Run(v.Context, pause)
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
	ctx, cancel := context.WithTimeout(v.Context, inheritTime)
	defer cancel()
	if done, err := v.claims.Merged(ctx, t); done || err != nil {
		return err
	}
	why := fmt.Sprintf("nothing was heard of the hub of %s for %s", hubs.Ship(t), v.Info.Shared.Lease)
	back := tasks.Requeue{Task: t.ID, Reason: why}
	var err error
	switch {
	case t.Status == tasks.InProgress: // the work or the review
		back.Owner, back.Epoch = t.Owner, t.Epoch
		if !t.InReview() {
			back.Work, err = v.shared.Draft(ctx, t, review.HandInRef(t.ID))
		}
	case !t.InReview():
		back.Owner = t.ReservedFor
	case v.Info.Validators == 0 && v.shared.IsShared(): // a hub with a validator takes it
		return nil
	default:
		if err = v.shared.Get(ctx, t.HandIn.Commit, review.HandInRef(t.ID)); err == nil && v.shared.IsShared() {
			return v.As(rights.Clock).TakeReview(ctx, t.ID, t.HandIn.Commit, true)
		}
		back.Back = t.HandIn.Commit
	}
	if err = v.Hinders.OrAway(t.ID, err); blame.IsAway(err) {
		return err
	}
	if err != nil {
		v.Log.Warn("work of a hub that is gone", "task", t.ID, "error", err)
		back.Reason += "; its work cannot be used: " + clean.Bound(err.Error(), maxText)
	}
	if err := v.As(rights.Clock).Requeue(ctx, back); err != nil {
		return err
	}
	text := fmt.Sprintf("task %s is no longer with %s: %s", t.ID, hubs.Ship(t), back.Reason)
	if back.Work != "" {
		kept, err := v.Work.KeepParked(ctx, t.Owner, back.Work)
		if err != nil {
			v.Log.Warn("park", "ship", t.Owner, "error", err)
		}
		text += "; what it had done so far is kept on " + kept + ", and whoever gets the task goes on from there"
	}
	v.Notes.Add(fleet.Note{Task: t.ID, Text: text})
	return nil
}
