package voyages

import (
	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/machines"
	"ocaptain/fleet/mix"
)

// planMachines calls add, which plans ships, if their providers allow that many machines.
func (h *Set) planMachines(m mix.Mix, add func() error) error {
	h.planning.Lock()
	defer h.planning.Unlock()
	for _, p := range m {
		most, have := h.Providers[p.Provider].Limits().Machines, h.countMachines(p.Provider)
		if most > 0 && have+p.Ships > most {
			return api.Refused("%s allows %d machines, and %d are there or on their way: ask for %d at most, or sink some", p.Provider, most, have, max(0, most-have))
		}
	}
	return add()
}

// countMachines counts the machines of a provider that are on record, and the machines that planned ships of all voyages will get.
func (h *Set) countMachines(name string) int {
	have := map[machines.ID]bool{}
	records, _ := h.Machines.All() // without readable records no machine can be made
	for _, r := range records {
		if r.Provider == name && !r.Gone {
			have[r.ID] = true
		}
	}
	for id, v := range h.all() {
		for _, s := range v.Roster.Now().Ships {
			if s.Provider == name && (s.IsOut() || s.Phase == fleet.Planned) {
				have[machines.IDOf(id, s)] = true
			}
		}
	}
	return len(have)
}
