package dirstore

import (
	"context"
	"time"

	"ocaptain/tasks"
)

// completes reports whether a completion of a claim is what a task waits for: the claim is current, or it is the one under
// which the work was done that is approved now.
func completes(s *tasks.State, owner string, epoch uint64) bool {
	switch {
	case s.HandIn == nil:
		return s.Status == tasks.InProgress && s.Owner == owner && s.Epoch == epoch
	case s.Approved():
		return s.Status == tasks.Pending && s.HandIn.Owner == owner && s.HandIn.Epoch == epoch
	}
	return false
}

// HandIn ends a claim with work that is to be reviewed.
func (s *Store) HandIn(ctx context.Context, c tasks.Completion, summary string) error {
	return s.changeTask(ctx, c.Task, func(e *entry) (*change, error) {
		h := e.state.HandIn
		switch {
		case e.state.InReview() && h.Owner == c.Owner && h.Epoch == c.Epoch && h.Commit == c.Commit:
			return nil, nil
		case h != nil || !completes(e.state, c.Owner, c.Epoch):
			return nil, &tasks.Refusal{Why: tasks.Stale, Task: c.Task, Owner: e.state.Owner}
		}
		return &change{Kind: handedIn, Task: c.Task, Owner: c.Owner, Epoch: c.Epoch, Commit: c.Commit, Empty: c.Empty, Summary: summary}, nil
	})
}

// Checked notes that work that was handed in was checked.
func (s *Store) Checked(ctx context.Context, task, commit, together string, passed bool) error {
	return s.changeTask(ctx, task, func(e *entry) (*change, error) {
		if !e.state.InReview() || e.state.HandIn.Commit != commit || e.state.Status != tasks.Pending || e.state.Approved() {
			return nil, &tasks.Refusal{Why: tasks.Stale, Task: task, Owner: e.state.Owner}
		}
		return &change{Kind: checked, Task: task, Commit: commit, Together: together, Passed: passed}, nil
	})
}

// Approve ends the claim of a reviewer: the work can be completed.
func (s *Store) Approve(ctx context.Context, task, owner string, epoch uint64, r tasks.Review) error {
	return s.changeTask(ctx, task, func(e *entry) (*change, error) {
		if t := e.state; !t.InReview() || t.Status != tasks.InProgress || t.Owner != owner || t.Epoch != epoch {
			return nil, &tasks.Refusal{Why: tasks.Stale, Task: task, Owner: e.state.Owner}
		}
		return &change{Kind: approved, Task: task, Owner: owner, Epoch: epoch, Review: &r}, nil
	})
}

// Cancel gives a task up for ever.
func (s *Store) Cancel(ctx context.Context, task, reason string) error {
	return s.changeTask(ctx, task, func(e *entry) (*change, error) {
		switch t := e.state; {
		case t.Cancelled:
			return nil, nil
		case t.Status == tasks.Completed:
			return nil, &tasks.Refusal{Why: tasks.Done, Task: task, Owner: t.Owner}
		}
		return &change{Kind: cancelled, Task: task, Epoch: e.state.Epoch, Reason: reason}, nil
	})
}

// changeTask carries out the change that judge allows of a task; nil is none.
func (s *Store) changeTask(ctx context.Context, id string, judge func(e *entry) (*change, error)) error {
	return s.changeLedger(ctx, func(now time.Time) error {
		e := s.ledger.entries[id]
		if e == nil {
			return &tasks.Refusal{Why: tasks.Unknown, Task: id}
		}
		c, err := judge(e)
		if err != nil {
			return err
		}
		return s.commit(now, c)
	})
}

func (l *ledger) applyHandIn(e *entry, at time.Time, c *change) {
	l.release(e)
	l.change(e, func(s *tasks.State) {
		s.Status, s.Owner, s.ReservedFor, s.Draft = tasks.Pending, "", "", ""
		s.HandIn = &tasks.HandIn{Owner: c.Owner, Epoch: c.Epoch, Commit: c.Commit, Empty: c.Empty, Summary: c.Summary, On: s.On, Begun: s.ClaimedAt, At: at}
		s.ClaimedAt, s.On, s.Resumes = time.Time{}, "", 0
	})
}

func (l *ledger) applyApproval(e *entry, c *change) {
	l.release(e)
	l.change(e, func(s *tasks.State) {
		s.Status, s.Owner = tasks.Pending, ""
		s.ClaimedAt, s.Resumes = time.Time{}, 0
	})
	l.changeHandIn(e, func(h *tasks.HandIn) { h.Review = c.Review })
}

// changeHandIn replaces what was handed in by a copy that edit has changed, since snapshots share it.
func (l *ledger) changeHandIn(e *entry, edit func(h *tasks.HandIn)) {
	l.change(e, func(s *tasks.State) {
		h := *s.HandIn
		edit(&h)
		s.HandIn = &h
	})
}
