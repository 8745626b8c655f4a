package dirstore

import "ocaptain/tasks"

// Load returns what a journal says, without a store.
func Load(path string) (all []*tasks.State, problems []string, err error) {
	r, err := load(path)
	all = make([]*tasks.State, 0, len(r.ledger.order))
	for _, e := range r.ledger.order {
		all = append(all, e.state)
	}
	return all, r.report(), err
}
