package voyage

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/hubs"
	"ocaptain/fleet/helm/kind"
	"ocaptain/fleet/helm/review"
	"ocaptain/fleet/helm/rights"
	"ocaptain/fleet/helm/sharedwork"
	"ocaptain/tasks"
)

// once returns what is made sure of just before work on a task goes on top of a commit of the branch to which other hubs bring work, too:
// that its claim has not ended, and that the branch has no work on the task. The push that follows is accepted only if nothing was pushed
// since, so that no task is merged twice.
func (v *Voyage) once(t *tasks.State) func(ctx context.Context, head string) error {
	if !v.shared.IsShared() {
		return nil
	}
	return func(ctx context.Context, head string) error {
		if err := v.Store.CatchUp(ctx); err != nil {
			return err
		}
		if now := v.Store.Snapshot().Task(t.ID); !hubs.IsCurrent(now, t) {
			return &tasks.Refusal{Why: tasks.Stale, Task: t.ID, Owner: now.Owner}
		}
		history, err := v.Work.HistoryOf(ctx, head, kind.TrailerTask, kind.TrailerShip, kind.TrailerClaim, kind.TrailerReverts)
		if err != nil {
			return err
		}
		events, err := v.Store.History(ctx, t.ID)
		if err != nil {
			return err
		}
		if commit := hubs.Landed(v.Info.SessionID(), history, t, events); commit != "" {
			return &review.Landed{Commit: commit}
		}
		return nil
	}
}

// recordLanded completes a task whose work on the branch is another claim's.
func (v *Voyage) recordLanded(ctx context.Context, w *tasks.State, l *review.Landed) error {
	v.Notes.Add(fleet.Note{Ship: w.Owner, Task: w.ID, Text: fmt.Sprintf("commit %.12s of the branch is its work already, by another hub; what %s did is not merged", l.Commit, w.Owner)})
	return v.As(rights.Clock).Record(context.WithoutCancel(ctx), tasks.Completion{Task: w.ID, Owner: w.Owner, Epoch: w.Epoch, Commit: l.Commit})
}

// mayReview reports whether this hub may review and merge what was handed in: it has taken the work, or no hub has.
func (v *Voyage) mayReview(t *tasks.State) bool {
	return v.isOwn(t) || v.shared.IsShared() && !t.HandIn.Taken
}

// takeReview has this hub review and merge what was handed in. It fails when another hub was quicker.
func (v *Voyage) takeReview(t *tasks.State) error {
	if !v.shared.IsShared() || t.HandIn.Taken && v.isOwn(t) {
		return nil
	}
	return v.Hinders.OrAway(t.ID, v.As(rights.Clock).TakeReview(v.Context, t.ID, t.HandIn.Commit, false))
}

// newShared returns the unmerged work that hubs share.
func (v *Voyage) newShared() *sharedwork.Work {
	o := sharedwork.Options{Core: v.Core, Redis: v.redis}
	if s := v.Info.Shared; s != nil && s.Lease > 0 {
		o.Drafts = v.drafts
	}
	return sharedwork.New(o)
}

// getWork brings work of another hub's ship here.
func (v *Voyage) getWork(ctx context.Context, t *tasks.State, commit string) error {
	return v.shared.Get(ctx, commit, review.HandInRef(t.ID))
}

// drafts calls draft for each claim of a ship whose tree is not in use.
func (v *Voyage) drafts(draft func(ship string, t *tasks.State)) {
	if v.Tree.IsShared() {
		return
	}
	for _, s := range reads(v, func() []*Ship { return slices.Collect(maps.Values(v.ships)) }) {
		if !s.Busy.TryLock() {
			continue
		}
		if t := s.Held(); t != nil && !t.InReview() && v.Records.IsCheckedOut(t) {
			draft(s.Name, t)
		}
		s.Busy.Unlock()
	}
}
