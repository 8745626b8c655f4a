package sweep

import (
	"errors"
	"fmt"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/install"
	"ocaptain/fleet/machines"
	"ocaptain/fleet/provider"
)

// Sink destroys the machines of a voyage whose directory is damaged or gone: the machines in its fleet, on record, and in the lists of providers
// for it. Work that exists only on them is lost if it cannot be copied home. The error also names providers that could not be asked.
func (s *Sweeper) Sink(d fleet.Dir, f fleet.Fleet, report func(api.Progress)) error {
	all, unasked := s.machinesOf(d, f)
	return errors.Join(unasked, each("sink", all, func(m machines.Machine) string { return m.Name }, report, func(m machines.Machine) error {
		return s.destroy(m, "sink", "its voyage was sunk", true, report)
	}))
}

// machinesOf finds the machines of a voyage without its files. The error names providers that could not be asked.
func (s *Sweeper) machinesOf(d fleet.Dir, f fleet.Fleet) ([]machines.Machine, error) {
	there, answers, err := s.o.Machines.Look(s.o.Context, install.Asked(s.o.Hub, s.o.Machines), fleet.MachinePrefix, surveying)
	unasked := []error{err}
	var all []machines.Machine
	known := map[machines.ID]bool{}
	for _, m := range there {
		if !m.Others && m.Voyage() == d.ID() {
			all, known[m.ID] = append(all, m), true
		}
	}
	for _, of := range f.Ships {
		id := machines.IDOf(d.ID(), of)
		if of.IsOut() && !known[id] {
			all = append(all, machines.Machine{ID: id})
		}
	}
	for _, a := range answers {
		if a.Err != nil && !errors.Is(a.Err, provider.ErrNoLogin) { // without a login, no machine was ever made there
			unasked = append(unasked, fmt.Errorf("machines of %s: %w", d.ID(), a.Err))
		}
	}
	return all, errors.Join(unasked...)
}
