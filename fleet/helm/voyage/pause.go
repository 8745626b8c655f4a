package voyage

import (
	"ocaptain/fleet/helm/pauses"
)

// newPauses returns what carries out pauses.
func newPauses(v *Voyage) *pauses.Pauses {
	return pauses.New(pauses.Options{
		Core: v.Core,
		Ships: func() []pauses.Ship {
			return reads(v, func() (all []pauses.Ship) {
				for _, s := range v.ships {
					all = append(all, pauses.Ship{
						Name: s.Name, State: s.known.State, StateAt: s.known.StateAt, Reached: s.Reach.Conn() != nil, Holds: v.Look().Held(s.Name) != nil,
						TakesMessages: s.Agent.TakesMessages(),
					})
				}
				return all
			})
		},
		Interrupt: func(ship string) error {
			s, err := v.ShipNamed(ship)
			if err == nil {
				_, err = s.Interrupt(s.Context)
			}
			return err
		},
	})
}
