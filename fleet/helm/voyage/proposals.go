package voyage

import (
	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
	"ocaptain/tasks"
)

// propose adds a proposal for the captain. If helm takes no more proposals of a ship, propose tells its agent so
// once.
func (v *Voyage) propose(p fleet.Proposal) {
	var held *tasks.State
	if p.Ship != "" { // a proposal of helm's may come before the tasks are open
		held = v.Store.Snapshot().Held(p.Ship)
	}
	err := v.Proposals.Propose(p, held)
	tell := reads(v, func() bool {
		s := v.ships[p.Ship]
		if s == nil {
			return false
		}
		was := s.flooded
		s.flooded = err != nil
		return s.flooded && !was
	})
	if tell {
		v.Go(func() { v.tellAgent(p.Ship, "Your last proposal was not taken: "+err.Error()+".") })
	}
}

// tellAgent sends an agent a message, and reports whether that is possible: the ship may be gone or take no messages, and an agent of a pool
// would take it for a dispatch.
func (v *Voyage) tellAgent(ship, text string) bool {
	if ship == "" || v.Info.Kind.TakesDispatches() {
		return false
	}
	_, err := v.Send(v.Context, ship, api.SayRequest{Text: text})
	return err == nil
}
