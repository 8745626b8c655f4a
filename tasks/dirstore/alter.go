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
	var ids []string
	var result []tasks.Task
	err := s.changeLedger(ctx, func(time.Time) (c *ledger.Change, err error) {
		ids, c, err = s.ledger.Add(add)
		return c, err
	}, func() {
		for _, id := range ids {
			result = append(result, s.ledger.Entries[id].State.Clone())
		}
	})
	if err != nil {
		return nil, fmt.Errorf("add tasks: %w", err)
	}
	return result, nil
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
	var e *ledger.Entry
	var grant tasks.Grant
	err := s.changeLedger(ctx, func(now time.Time) (c *ledger.Change, err error) {
		if e, c, err = s.ledger.Claim(now, owner, id, review); c != nil {
			c.Hub = s.hub
		}
		return c, err
	}, func() { grant = e.CurrentGrant() })
	return grant, err
}

// Reserve keeps a pending task for owner, or frees it.
func (s *Store) Reserve(ctx context.Context, task, owner string) error {
	return s.changeLedger(ctx, func(time.Time) (*ledger.Change, error) { return s.ledger.Reservation(task, owner) }, nil)
}

// Complete records the completion of a claim.
func (s *Store) Complete(ctx context.Context, c tasks.Completion) error {
	return s.changeLedger(ctx, func(time.Time) (*ledger.Change, error) { return s.ledger.Complete(c) }, nil)
}

// Requeue makes a task pending again.
func (s *Store) Requeue(ctx context.Context, r tasks.Requeue) error {
	return s.changeLedger(ctx, func(now time.Time) (*ledger.Change, error) { return s.ledger.Requeue(now, r) }, nil)
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

// judge returns the change that an operation makes, nil for none.
type judge func(now time.Time) (*ledger.Change, error)

// changeLedger carries out the change that do returns, and calls then, unless it is nil, to read the result. It waits until the
// journal is on the disk, outside the lock so that many callers share one wait, and then publishes the change. It waits even if
// nothing was changed, since the answer may rest on another caller's unsynced change. If the disk refuses a change, it is published
// later, once the journal is on the disk.
func (s *Store) changeLedger(ctx context.Context, do judge, then func()) error {
	if then == nil {
		then = func() {}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if s.shared != nil {
		return s.shared.commits.change(ctx, do, then)
	}
	changed, err := s.changeOwn(do, then)
	if err != nil && len(changed) == 0 {
		return err
	}
	if e := s.publishDurable(changed); err == nil {
		err = e
	}
	return err
}

// changeOwn changes the tasks of a store that no other hub shares.
func (s *Store) changeOwn(do judge, then func()) ([]*ledger.Entry, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.isClosed() {
		return nil, errClosed
	}
	now := timeNow()
	c, err := do(now)
	if err == nil && c != nil {
		err = s.commit(now, c)
	}
	if err == nil {
		then()
	}
	return s.ledger.TakeChanged(), err
}

// timeNow returns the time as the journal stores it: without the monotonic clock.
func timeNow() time.Time { return time.Now().UTC().Round(0) }

func (s *Store) isClosed() bool {
	select {
	case <-s.closed:
		return true
	default:
		return false
	}
}

// commit writes a change to the journal and carries it out.
func (s *Store) commit(now time.Time, c *ledger.Change) error {
	records, err := c.Records()
	if err != nil {
		return err
	}
	for _, r := range records {
		if _, err := s.journal.NoteAt(now, ledger.Prefix+c.Kind, r); err != nil {
			return err
		}
	}
	return s.ledger.ApplyChange(now, c)
}

// publishDurable waits until the journal is on the disk, and then publishes the changed entries.
func (s *Store) publishDurable(changed []*ledger.Entry) error {
	err := s.journal.Sync()
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

// publish shows changes in the directory and sends them to the watchers.
func (s *Store) publish(changed []*ledger.Entry) {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := make([]tasks.Task, len(changed))
	for i, e := range changed {
		all[i] = e.TaskForFile() // publish the newest state, which may be newer than this change
	}
	s.view.PutTasks(all...)
	s.notifyWatchers()
}
