package dirstore

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"ocaptain/tasks/ledger"

	"ocaptain/tasks"
)

// errClosed is the error of a closed store.
var errClosed = errors.New("the task store is closed")

// WaitForParts makes tasks wait for their parts, as in a session. The store then refuses a part that waits for its parent.
func (s *Store) WaitForParts() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ledger.Wholes = true
}

// Add puts the tasks in, or none of them.
func (s *Store) Add(ctx context.Context, add []tasks.Task) ([]tasks.Task, error) {
	var result []tasks.Task
	err := s.changeLedger(ctx, func(now time.Time) error {
		b, err := s.ledger.NewBatch(add)
		if err != nil {
			return err
		}
		if len(b.Fresh) > 0 {
			if err := s.writeBatch(now, b.Fresh); err != nil {
				return err
			}
			s.ledger.Insert(now, b)
		}
		for _, id := range b.Ids {
			result = append(result, s.ledger.Entries[id].State.Clone())
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("add tasks: %w", err)
	}
	return result, nil
}

// writeBatch writes a batch to the journal.
func (s *Store) writeBatch(now time.Time, fresh []tasks.Task) error {
	all, err := ledger.SplitBatch(fresh)
	if err != nil {
		return err
	}
	for _, p := range all {
		if _, err := s.journal.NoteAt(now, ledger.Prefix+ledger.Added, p); err != nil {
			return err
		}
	}
	return nil
}

// Claim gives a task to owner.
func (s *Store) Claim(ctx context.Context, owner, id string) (tasks.Grant, error) {
	return s.claim(ctx, owner, id, false)
}

// ClaimReview gives a task that is in review to owner.
func (s *Store) ClaimReview(ctx context.Context, owner, id string) (tasks.Grant, error) {
	return s.claim(ctx, owner, id, true)
}

func (s *Store) claim(ctx context.Context, owner, id string, review bool) (tasks.Grant, error) {
	var grant tasks.Grant
	err := s.changeLedger(ctx, func(now time.Time) error {
		e, c, err := s.ledger.Claim(now, owner, id, review)
		if err != nil {
			return err
		}
		if err := s.commit(now, c); err != nil {
			return err
		}
		grant = e.CurrentGrant()
		return nil
	})
	if err != nil {
		return tasks.Grant{}, err
	}
	return grant, nil
}

// Reserve keeps a pending task for owner, or frees it.
func (s *Store) Reserve(ctx context.Context, task, owner string) error {
	return s.changeLedger(ctx, func(now time.Time) error {
		change, err := s.ledger.Reservation(task, owner)
		if err != nil {
			return err
		}
		return s.commit(now, change)
	})
}

// Complete records the completion of a claim.
func (s *Store) Complete(ctx context.Context, c tasks.Completion) error {
	return s.changeLedger(ctx, func(now time.Time) error {
		change, err := s.ledger.Complete(c)
		if err != nil {
			return err
		}
		return s.commit(now, change)
	})
}

// Requeue makes a task pending again.
func (s *Store) Requeue(ctx context.Context, r tasks.Requeue) error {
	return s.changeLedger(ctx, func(now time.Time) error {
		change, err := s.ledger.Requeue(now, r)
		if err != nil {
			return err
		}
		return s.commit(now, change)
	})
}

// History returns what happened to a task.
func (s *Store) History(ctx context.Context, id string) ([]tasks.Event, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e := s.ledger.Entries[id]
	if e == nil {
		return nil, &tasks.Refusal{Why: tasks.Unknown, Task: id}
	}
	return slices.Clone(e.History), ctx.Err()
}

// changeLedger calls do to change the ledger, waits until the journal is on the disk, and then
// publishes the change. It waits outside the lock, so that many callers share one wait. It waits
// even if do changed nothing, since the answer may rest on another caller's unsynced change. A
// change that the disk refused is published once the journal is on the disk.
func (s *Store) changeLedger(ctx context.Context, do func(now time.Time) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.mu.Lock()
	select {
	case <-s.closed:
		s.mu.Unlock()
		return errClosed
	default:
	}
	err := do(time.Now().UTC().Round(0)) // without the monotonic clock, as the journal stores it
	changed := s.ledger.TakeChanged()
	s.mu.Unlock()
	if err != nil {
		return err
	}
	err = s.journal.Sync()
	s.mu.Lock()
	s.unshown = append(s.unshown, changed...)
	if err == nil {
		changed, s.unshown = s.unshown, nil
	}
	s.mu.Unlock()
	if err != nil {
		return err
	}
	if len(changed) > 0 {
		s.publish(changed)
	}
	return nil
}

// commit writes a change to the journal and carries it out; nil is none.
func (s *Store) commit(now time.Time, c *ledger.Change) error {
	if c == nil {
		return nil
	}
	if _, err := s.journal.NoteAt(now, ledger.Prefix+c.Kind, c); err != nil {
		return err
	}
	return s.ledger.ApplyChange(now, c)
}

// publish sends changes to the directory and to the watchers.
func (s *Store) publish(changed []*ledger.Entry) {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := make([]tasks.Task, len(changed))
	for i, e := range changed {
		all[i] = e.TaskForFile() // the present state, so that the last caller publishes the last state
	}
	s.view.PutTasks(all...)
	s.notifyWatchers()
}
