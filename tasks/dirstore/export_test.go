package dirstore

import (
	"ocaptain/tasks"
	"ocaptain/tasks/ledger"
)

// Load returns the state in a journal, without a store.
func Load(path string) (all []*tasks.State, problems []string, err error) {
	r, err := ledger.Load(path)
	all = make([]*tasks.State, 0, len(r.Ledger.Order))
	for _, e := range r.Ledger.Order {
		all = append(all, e.State)
	}
	return all, r.Report(), err
}

// Hold keeps a shared store from sending requests, until the returned function is called.
func (s *Store) Hold() (end func()) {
	s.shared.turn <- struct{}{}
	return func() { <-s.shared.turn }
}

// Waiting returns how many callers wait for a change, and how many of these for a request under way.
func (s *Store) Waiting() (all, asked int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, o := range s.shared.commits.waiting {
		if all++; o.leave != nil {
			asked++
		}
	}
	return all, asked
}
