package voyage

import (
	"cmp"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/machines"
	"ocaptain/fleet/mix"
)

// maxShips bounds one order: more are a slip of the keyboard.
const maxShips = 1000

// parseMix settles where n ships come from. Several providers have their numbers in the text, which
// must add up; but for one ship more, somebody has to say which of them it is.
func (v *Voyage) parseMix(text string, n int) (mix.Mix, error) {
	if n < 1 || n > maxShips {
		return nil, api.Refused("%d ships: ask for 1 to %d", n, maxShips)
	}
	mix, err := mix.Parse(text, slices.Sorted(maps.Keys(v.set.Providers)))
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

// planShips adds ships that are still to be made, at most as many as their providers allow. Workers among them get agent and model, unless
// "".
func (v *Voyage) planShips(mix mix.Mix, agent, model string) error {
	v.set.planning.Lock()
	defer v.set.planning.Unlock()
	for _, p := range mix {
		most, have := v.set.Providers[p.Provider].Limits().Machines, v.set.mayHave(p.Provider)
		if most > 0 && have+p.Ships > most {
			return api.Refused("%s allows %d machines, and %d are there or on their way: ask for %d at most, or sink some", p.Provider, most, have, max(0, most-have))
		}
	}
	var over error
	err := v.roster.Change(func(f *fleet.Fleet) {
		if over = refuseOver(f.Phase); over != nil {
			return
		}
		for _, p := range mix {
			for range p.Ships {
				f.Next = max(f.Next, v.kind.First())
				name, role := v.kind.Crew(f.Next, f.Roles())
				usual, _ := v.info.AgentFor(role)
				s := &fleet.Ship{
					Name: name, Number: f.Next, Role: role, Agent: usual, Provider: p.Provider, Built: 1, Phase: fleet.Planned, Created: time.Now(),
				}
				if role == fleet.Worker {
					s.Agent, s.Model = cmp.Or(agent, usual), model
				}
				s.Release = f.ReleaseOf(&v.info, s.Agent)
				f.Ships = append(f.Ships, s)
				f.Next++
			}
		}
	})
	return errors.Join(over, err)
}

// mayHave counts the machines of a provider that are on record, and the machines that ships of any voyage are
// to get.
func (h *Set) mayHave(name string) int {
	have := map[machines.ID]bool{}
	records, _ := h.Machines.All() // a machine cannot be made without a record
	for _, r := range records {
		if r.Provider == name && !r.Gone {
			have[r.ID] = true
		}
	}
	for _, v := range h.all() {
		for _, s := range v.roster.Now().Ships {
			if s.Provider == name && (s.IsOut() || s.Phase == fleet.Planned) {
				have[v.machineOf(s)] = true
			}
		}
	}
	return len(have)
}
