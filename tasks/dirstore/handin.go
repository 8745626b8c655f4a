package dirstore

import (
	"context"
	"time"

	"ocaptain/tasks/ledger"

	"ocaptain/tasks"
)

// HandIn ends a claim with work that is to be reviewed.
func (s *Store) HandIn(ctx context.Context, c tasks.Completion, summary string) error {
	return s.changeTask(ctx, c.Task, func(e *ledger.Entry) (*ledger.Change, error) {
		h := e.State.HandIn
		switch {
		case e.State.InReview() && h.Owner == c.Owner && h.Epoch == c.Epoch && h.Commit == c.Commit:
			return nil, nil
		case h != nil || !ledger.Completes(e.State, c.Owner, c.Epoch):
			return nil, &tasks.Refusal{Why: tasks.Stale, Task: c.Task, Owner: e.State.Owner}
		}
		return &ledger.Change{Kind: ledger.HandedIn, Task: c.Task, Owner: c.Owner, Epoch: c.Epoch, Commit: c.Commit, Empty: c.Empty, Summary: summary}, nil
	})
}

// TakeReview gives handed-in work to this hub, where several share the tasks: it will review and merge the work. Work that another hub has
// taken is refused, unless that hub is gone.
func (s *Store) TakeReview(ctx context.Context, task, commit string, gone bool) error {
	return s.changeTask(ctx, task, func(e *ledger.Entry) (*ledger.Change, error) {
		switch t := e.State; {
		case !t.InReview() || t.HandIn.Commit != commit:
			return nil, &tasks.Refusal{Why: tasks.Stale, Task: task, Owner: t.Owner}
		case t.HandIn.Taken && t.HandIn.By == s.hub:
			return nil, nil
		case t.Status != tasks.Pending || t.HandIn.Taken && !gone:
			return nil, &tasks.Refusal{Why: tasks.Taken, Task: task, Owner: t.Owner}
		}
		return &ledger.Change{Kind: ledger.Taken, Task: task, Commit: commit, Hub: s.hub}, nil
	})
}

// Checked records the check of handed-in work.
func (s *Store) Checked(ctx context.Context, task, commit, together string, passed bool) error {
	return s.changeTask(ctx, task, func(e *ledger.Entry) (*ledger.Change, error) {
		if !e.State.InReview() || e.State.HandIn.Commit != commit || e.State.Status != tasks.Pending || e.State.Approved() {
			return nil, &tasks.Refusal{Why: tasks.Stale, Task: task, Owner: e.State.Owner}
		}
		return &ledger.Change{Kind: ledger.Checked, Task: task, Commit: commit, Together: together, Passed: passed}, nil
	})
}

// Approve ends the claim of a reviewer: the work can be completed.
func (s *Store) Approve(ctx context.Context, task, owner string, epoch uint64, r tasks.Review) error {
	return s.changeTask(ctx, task, func(e *ledger.Entry) (*ledger.Change, error) {
		if t := e.State; !t.InReview() || t.Status != tasks.InProgress || t.Owner != owner || t.Epoch != epoch {
			return nil, &tasks.Refusal{Why: tasks.Stale, Task: task, Owner: e.State.Owner}
		}
		return &ledger.Change{Kind: ledger.Approved, Task: task, Owner: owner, Epoch: epoch, Review: &r}, nil
	})
}

// Cancel ends a task without any work.
func (s *Store) Cancel(ctx context.Context, task, reason string) error {
	return s.changeTask(ctx, task, func(e *ledger.Entry) (*ledger.Change, error) {
		switch t := e.State; {
		case t.Cancelled:
			return nil, nil
		case t.Status == tasks.Completed:
			return nil, &tasks.Refusal{Why: tasks.Done, Task: task, Owner: t.Owner}
		}
		return &ledger.Change{Kind: ledger.Cancelled, Task: task, Epoch: e.State.Epoch, Reason: reason}, nil
	})
}

// changeTask carries out the change that judge returns for a task; nil is no change.
func (s *Store) changeTask(ctx context.Context, id string, judge func(e *ledger.Entry) (*ledger.Change, error)) error {
	return s.changeLedger(ctx, func(time.Time) (*ledger.Change, error) {
		e := s.ledger.Entries[id]
		if e == nil {
			return nil, &tasks.Refusal{Why: tasks.Unknown, Task: id}
		}
		return judge(e)
	}, nil)
}
