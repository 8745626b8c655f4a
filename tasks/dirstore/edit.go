package dirstore

import (
	"context"
	"time"

	"ocaptain/tasks"
)

// Edit changes the text and the dependencies of an open task.
func (s *Store) Edit(ctx context.Context, edit tasks.Edit) error {
	return s.changeLedger(ctx, func(now time.Time) error {
		change, err := s.ledger.Edit(edit)
		if err != nil {
			return err
		}
		return s.commit(now, change)
	})
}

// Reopen makes a completed task pending again.
func (s *Store) Reopen(ctx context.Context, r tasks.Reopen) error {
	return s.changeLedger(ctx, func(now time.Time) error {
		change, err := s.ledger.Reopen(r)
		if err != nil {
			return err
		}
		return s.commit(now, change)
	})
}
