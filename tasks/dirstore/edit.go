package dirstore

import (
	"context"
	"slices"
	"time"

	"ocaptain/tasks"
	"ocaptain/tasks/ledger"
)

// Edit changes the text and the dependencies of an open task.
func (s *Store) Edit(ctx context.Context, edit tasks.Edit) error {
	return s.changeLedger(ctx, func(time.Time) (*ledger.Change, error) { return s.ledger.Edit(edit) }, nil)
}

// Reopen makes a completed task pending again.
func (s *Store) Reopen(ctx context.Context, r tasks.Reopen) error {
	return s.changeLedger(ctx, func(time.Time) (*ledger.Change, error) { return s.ledger.Reopen(r) }, nil)
}

// Join adds a hub to the hubs that share the tasks, and returns its number, 0 for the first.
func (s *Store) Join(ctx context.Context, hub string) (number int, err error) {
	err = s.changeLedger(ctx, func(time.Time) (*ledger.Change, error) { return s.ledger.Join(hub) }, func() {
		number = slices.Index(s.ledger.Hubs, hub)
	})
	return number, err
}
