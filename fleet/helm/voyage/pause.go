package voyage

import (
	"errors"
	"time"

	"ocaptain/fleet/helm/pauses"
)

// newPauses returns what carries out pauses.
func (v *Voyage) newPauses() *pauses.Pauses {
	return pauses.New(pauses.Options{
		Core: v.Core,
		Ships: func() []pauses.Ship {
			return reads(v, func() (all []pauses.Ship) {
				for _, s := range v.ships {
					all = append(all, pauses.Ship{
						Name: s.name, State: s.known.State, StateAt: s.known.StateAt, Reached: s.reach.Conn() != nil, Holds: v.Look().Held(s.name) != nil,
						TakesMessages: s.agent.TakesMessages(),
					})
				}
				return all
			})
		},
		Interrupt: func(ship string) error {
			s, err := v.ShipNamed(ship)
			if err == nil {
				_, err = s.Interrupt(s.ctx)
			}
			return err
		},
	})
}

// paused says why the ship begins nothing, "" when it may.
func (s *Ship) paused(now time.Time) string { return s.v.Spending.PausedShip(s.name, now) }

// errPaused is what an agent is told that asks for a task while it is paused.
var errPaused = errors.New("your voyage or ship is paused: end your turn, and you are told when it goes on")
