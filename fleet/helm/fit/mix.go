package fit

import (
	"cmp"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/helm/roster"
	"ocaptain/fleet/mix"
)

// maxShips bounds one request: more ships are a typing error.
const maxShips = 1000

// parseMix decides which providers n ships come from. If the text names several providers, it also gives the number
// of ships of each, and these must add up to n.
func (f *Fit) parseMix(text string, n int) (mix.Mix, error) {
	if n < 1 || n > maxShips {
		return nil, api.Refused("%d ships: ask for 1 to %d", n, maxShips)
	}
	mix, err := mix.Parse(text, slices.Sorted(maps.Keys(f.o.Access.Providers)))
	if err != nil {
		return nil, api.Refused("%v", err)
	}
	if mix.Several() && mix.ShipCount() != n {
		var names []string
		for _, p := range mix {
			names = append(names, p.Provider)
		}
		return nil, api.Refused("ships of this voyage come from %s: say from which with --provider", strings.Join(names, " and "))
	}
	return mix.ForShips(n), nil
}

// Plan adds n planned ships to the fleet, from the providers that the text from names, if these allow so many.
// Workers get agent and model, unless these are "".
func (f *Fit) Plan(from string, n int, agent, model string) error {
	mix, err := f.parseMix(from, n)
	if err != nil {
		return err
	}
	return f.planShips(mix, agent, model)
}

// planShips is Plan for a parsed text.
func (f *Fit) planShips(mix mix.Mix, agent, model string) error {
	return f.o.Plan(mix, func() error {
		var over error
		err := f.o.Roster.Change(func(all *fleet.Fleet) {
			if over = roster.Refuse(all.Phase); over != nil {
				return
			}
			for _, p := range mix {
				for range p.Ships {
					all.Next = max(all.Next, f.o.Kind.First())
					name, role := f.o.Kind.Crew(all.Next, all.Roles())
					usual, _ := f.o.Info.AgentFor(role)
					s := &fleet.Ship{
						Name: name, Number: all.Next, Role: role, Agent: usual, Provider: p.Provider, Built: 1, Phase: fleet.Planned, Created: time.Now(),
					}
					if role == fleet.Worker {
						s.Agent, s.Model = cmp.Or(agent, usual), model
					}
					s.Release = all.ReleaseOf(&f.o.Info, s.Agent)
					all.Ships = append(all.Ships, s)
					all.Next++
				}
			}
		})
		return errors.Join(over, err)
	})
}
