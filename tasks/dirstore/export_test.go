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
