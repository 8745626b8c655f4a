package dirstore

import (
	"context"
	"encoding/json"
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

// Join adds a hub to the hubs that share the tasks, and returns its number, 0 for the first. The first hub may write terms, as JSON,
// for hubs that join later.
func (s *Store) Join(ctx context.Context, hub string, terms json.RawMessage) (number int, err error) {
	err = s.changeLedger(ctx, func(time.Time) (*ledger.Change, error) { return s.ledger.Join(hub, terms) }, func() {
		number = slices.Index(s.ledger.Hubs, hub)
		s.hub = number
	})
	return number, err
}

// Terms returns the terms that the first hub has written, nil for none.
func (s *Store) Terms() json.RawMessage {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ledger.Terms
}

// Alive says to the hubs that share the tasks that this one is there.
func (s *Store) Alive(ctx context.Context) error {
	return s.changeLedger(ctx, func(time.Time) (*ledger.Change, error) { return s.ledger.Alive(s.hub) }, nil)
}

// Heard returns how often each hub has said that it is there, by number.
func (s *Store) Heard() []uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := make([]uint64, len(s.ledger.Hubs))
	for i := range all {
		all[i] = s.ledger.Heard[i]
	}
	return all
}
