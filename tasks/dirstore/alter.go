package dirstore

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"ocaptain/tasks"
)

// errClosed is what a closed store answers.
var errClosed = errors.New("the task store is closed")

// WaitForParts has the store refuse from now on what would never end where a task is completed when its parts are, as in a session: a part
// that waits for its whole.
func (s *Store) WaitForParts() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ledger.wholes = true
}

// Add puts the tasks in, or none of them.
func (s *Store) Add(ctx context.Context, add []tasks.Task) ([]tasks.Task, error) {
	var result []tasks.Task
	err := s.changeLedger(ctx, func(now time.Time) error {
		b, err := s.ledger.newBatch(add)
		if err != nil {
			return err
		}
		if len(b.fresh) > 0 {
			if err := s.writeBatch(now, b.fresh); err != nil {
				return err
			}
			s.ledger.insert(now, b)
		}
		for _, id := range b.ids {
			result = append(result, s.ledger.entries[id].state.Clone())
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
	all, err := splitBatch(fresh)
	if err != nil {
		return err
	}
	for _, p := range all {
		if _, err := s.journal.NoteAt(now, prefix+added, p); err != nil {
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
		e, c, err := s.ledger.claim(now, owner, id, review)
		if err != nil {
			return err
		}
		if err := s.commit(now, c); err != nil {
			return err
		}
		grant = e.currentGrant()
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
		change, err := s.ledger.reservation(task, owner)
		if err != nil {
			return err
		}
		return s.commit(now, change)
	})
}

// Complete records the completion of a claim.
func (s *Store) Complete(ctx context.Context, c tasks.Completion) error {
	return s.changeLedger(ctx, func(now time.Time) error {
		change, err := s.ledger.complete(c)
		if err != nil {
			return err
		}
		return s.commit(now, change)
	})
}

// Requeue makes a task pending again.
func (s *Store) Requeue(ctx context.Context, r tasks.Requeue) error {
	return s.changeLedger(ctx, func(now time.Time) error {
		change, err := s.ledger.requeue(now, r)
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
	e := s.ledger.entries[id]
	if e == nil {
		return nil, &tasks.Refusal{Why: tasks.Unknown, Task: id}
	}
	return slices.Clone(e.history), ctx.Err()
}

// changeLedger lets do change the ledger, waits until the journal is on the disk and then
// shows the change. The wait is outside the lock, so that many callers share one.
// It comes also when nothing changed: the answer may rest on what another caller
// is still waiting for. What the disk refused is shown once the journal has it there.
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
	err := do(time.Now().UTC().Round(0)) // without the monotonic clock, as the journal will give it back
	changed := s.ledger.takeChanged()
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
func (s *Store) commit(now time.Time, c *change) error {
	if c == nil {
		return nil
	}
	if _, err := s.journal.NoteAt(now, prefix+c.Kind, c); err != nil {
		return err
	}
	return s.ledger.applyChange(now, c)
}

// publish brings changes into the directory and to the watchers.
func (s *Store) publish(changed []*entry) {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := make([]tasks.Task, len(changed))
	for i, e := range changed {
		all[i] = e.taskForFile() // as it is by now, so that the last to come here shows the last state
	}
	s.view.PutTasks(all...)
	s.notifyWatchers()
}

// taskForFile is the task as its file shows it.
func (e *entry) taskForFile() tasks.Task {
	t := e.state.Task
	own := map[string]any{}
	if e.state.Epoch > 0 {
		own["epoch"] = e.state.Epoch
	}
	if e.state.Commit != "" {
		own["commit"] = e.state.Commit
	}
	if len(own) > 0 {
		t.Metadata = mergeMetadata(t.Metadata, map[string]any{tasks.Reserved: own})
	}
	return t
}
