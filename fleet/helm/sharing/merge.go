package sharing

import (
	"context"
	"fmt"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/hubs"
	"ocaptain/fleet/helm/kind"
	"ocaptain/fleet/helm/review"
	"ocaptain/fleet/helm/rights"
	"ocaptain/tasks"
)

// Once returns a check that runs just before the work on a task is merged on top of head, a commit of the branch to
// which other hubs push, too. It fails if the task's claim has ended, or if the branch has work on the task already.
// The push that follows is accepted only if nothing was pushed since the check, so that no task is merged twice.
func (s *Sharing) Once(t *tasks.State) func(ctx context.Context, head string) error {
	if !s.Refs.IsShared() {
		return nil
	}
	return func(ctx context.Context, head string) error {
		if err := s.Store.CatchUp(ctx); err != nil {
			return err
		}
		if now := s.Store.Snapshot().Task(t.ID); !hubs.IsCurrent(now, t) {
			return &tasks.Refusal{Why: tasks.Stale, Task: t.ID, Owner: now.Owner}
		}
		history, err := s.Work.HistoryOf(ctx, head, kind.TrailerTask, kind.TrailerShip, kind.TrailerClaim, kind.TrailerReverts)
		if err != nil {
			return err
		}
		events, err := s.Store.History(ctx, t.ID)
		if err != nil {
			return err
		}
		if commit := hubs.Landed(s.Info.SessionID(), history, t, events); commit != "" {
			return &review.Landed{Commit: commit}
		}
		return nil
	}
}

// Record completes a task whose work on the branch is another claim's.
func (s *Sharing) Record(ctx context.Context, w *tasks.State, l *review.Landed) error {
	s.Notes.Add(fleet.Note{Ship: w.Owner, Task: w.ID, Text: fmt.Sprintf("commit %.12s of the branch is its work already, by another hub; what %s did is not merged", l.Commit, w.Owner)})
	return s.As(rights.Clock).Record(context.WithoutCancel(ctx), tasks.Completion{Task: w.ID, Owner: w.Owner, Epoch: w.Epoch, Commit: l.Commit})
}

// MayReview reports whether this hub may review and merge what was handed in: it has taken the work, or no hub has.
func (s *Sharing) MayReview(t *tasks.State) bool {
	return s.isOwn(t) || s.Refs.IsShared() && !t.HandIn.Taken
}

// Take has this hub review and merge what was handed in. It fails when another hub was quicker.
func (s *Sharing) Take(t *tasks.State) error {
	if !s.Refs.IsShared() || t.HandIn.Taken && s.isOwn(t) {
		return nil
	}
	return s.Hinders.OrAway(t.ID, s.As(rights.Clock).TakeReview(s.Context, t.ID, t.HandIn.Commit, false))
}

// isOwn reports whether a task is in the hands of this hub: one of its ships has the task or had it last, or has handed in the work.
func (s *Sharing) isOwn(t *tasks.State) bool { return hubs.Of(t) == s.Info.HubNumber() }

// Get fetches work of another hub's ship.
func (s *Sharing) Get(ctx context.Context, t *tasks.State, commit string) error {
	return s.Refs.Get(ctx, commit, review.HandInRef(t.ID))
}
