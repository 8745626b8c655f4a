package sharing

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

// beats is how often within a lease a hub says that it is there.
const beats = 5

// KeepLease tells other hubs that this hub is there, and requeues the tasks of hubs that are gone.
func (s *Sharing) KeepLease() {
	term := s.Info.Shared.Lease
	if term <= 0 || s.Redis == nil { // nil while it is being sunk
		return
	}
	leases := hubs.Leases{Own: s.Info.Shared.Hub, Term: term}
	for retry.Sleep(s.Context, term/beats) == nil {
		heard := s.Store.Heard()
		if len(heard) < 2 {
			continue
		}
		err := s.Store.Alive(s.Context) // another part tells the captain that Redis does not answer
		for _, hub := range leases.Look(time.Now(), s.Store.Heard(), err != nil) {
			if err := s.Hinders.OrAway("", s.inherit(hub)); err != nil && s.Context.Err() == nil {
				s.Log.Warn("tasks of a hub that is gone", "hub", hub, "error", err)
			}
		}
	}
}

// KeepRefs keeps up to date what hubs share of unmerged work.
func (s *Sharing) KeepRefs() {
	if s.Redis != nil {
		pause := time.Minute
		if term := s.Info.Shared.Lease; term > 0 {
			pause = max(time.Second, min(pause, term/(2*beats)))
		}
		s.Refs.Run(s.Context, pause)
	}
}

// inherit requeues the tasks of a hub that is gone. A task whose work is on the branch is completed instead.
func (s *Sharing) inherit(hub int) error {
	var failed []error
	for _, t := range hubs.Left(s.Store.Snapshot(), hub) {
		var no *tasks.Refusal
		if err := s.inheritOne(t); err != nil && !errors.As(err, &no) { // another hub has just done it
			failed = append(failed, err)
		}
	}
	return errors.Join(failed...)
}

func (s *Sharing) inheritOne(t *tasks.State) error {
	ctx, cancel := context.WithTimeout(s.Context, inheritTime)
	defer cancel()
	if done, err := s.Claims.Merged(ctx, t); done || err != nil {
		return err
	}
	why := fmt.Sprintf("nothing was heard of the hub of %s for %s", hubs.Ship(t), s.Info.Shared.Lease)
	back := tasks.Requeue{Task: t.ID, Reason: why}
	var err error
	switch {
	case t.Status == tasks.InProgress: // the work or the review
		back.Owner, back.Epoch = t.Owner, t.Epoch
		if !t.InReview() {
			back.Work, err = s.Refs.Draft(ctx, t, review.HandInRef(t.ID))
		}
	case !t.InReview():
		back.Owner = t.ReservedFor
	case s.Info.Validators == 0 && s.Refs.IsShared(): // a hub with a validator takes it
		return nil
	default:
		if err = s.Refs.Get(ctx, t.HandIn.Commit, review.HandInRef(t.ID)); err == nil && s.Refs.IsShared() {
			return s.As(rights.Clock).TakeReview(ctx, t.ID, t.HandIn.Commit, true)
		}
		back.Back = t.HandIn.Commit
	}
	if err = s.Hinders.OrAway(t.ID, err); blame.IsAway(err) {
		return err
	}
	if err != nil {
		s.Log.Warn("work of a hub that is gone", "task", t.ID, "error", err)
		back.Reason += "; its work cannot be used: " + clean.Bound(err.Error(), clean.MaxText)
	}
	if err := s.As(rights.Clock).Requeue(ctx, back); err != nil {
		return err
	}
	text := fmt.Sprintf("task %s is no longer with %s: %s", t.ID, hubs.Ship(t), back.Reason)
	if back.Work != "" {
		kept, err := s.Work.KeepParked(ctx, t.Owner, back.Work)
		if err != nil {
			s.Log.Warn("park", "ship", t.Owner, "error", err)
		}
		text += "; what it had done so far is kept on " + kept + ", and the next ship goes on from there"
	}
	s.Notes.Add(fleet.Note{Task: t.ID, Text: text})
	return nil
}
