package helm

import (
	"errors"
	"fmt"
	"os"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/install"
	"ocaptain/fleet/machines"
	"ocaptain/fleet/provider"
)

// sinkDamaged destroys the machines of a voyage whose directory is damaged or gone: those that fleet.json
// still tells, those on record, and those that the providers say are its. What cannot be destroyed
// now helm goes on trying to destroy. It does not end when the caller leaves.
func (h *Helm) sinkDamaged(d fleet.Dir, report func(api.Progress)) error {
	f, err := fleet.LoadFleet(d)
	if err != nil {
		report(api.Progress{State: api.StepNote, Text: err.Error() + "; only what is known elsewhere can be destroyed"})
	}
	all, unasked := h.machinesOf(d, f)
	if err := errors.Join(unasked, each("sink", all, func(m machines.Machine) string { return m.Name }, report, func(m machines.Machine) error {
		return h.destroyAlone(m, "sink", "its voyage was sunk", true, report)
	})); err != nil {
		return err
	}
	if err := removeSecrets(d); err != nil {
		return err
	}
	if _, err := os.Stat(string(d)); os.IsNotExist(err) {
		return nil
	}
	serial := f.Serial
	if facts, err := fleet.ReadFacts(d); err == nil && facts.Fleet != nil {
		serial = max(serial, facts.Fleet.Serial) // which it is to be newer than
	}
	return (&fleet.Fleet{Serial: serial + 1, Phase: fleet.Sunk, Since: time.Now(), Next: f.Next, Verify: f.Verify}).Save(d)
}

// machinesOf finds the machines of a voyage without its help, and says what could not be asked.
func (h *Helm) machinesOf(d fleet.Dir, f fleet.Fleet) ([]machines.Machine, error) {
	there, answers, err := h.machines.Look(h.ctx, install.Asked(h.hub, h.machines), fleet.MachinePrefix, surveying)
	unasked := []error{err}
	var all []machines.Machine
	known := map[machines.ID]bool{}
	for _, m := range there {
		if !m.Others && m.Voyage() == d.ID() {
			all, known[m.ID] = append(all, m), true
		}
	}
	for _, s := range f.Ships {
		id := machines.ID{Provider: s.Provider, Name: s.MachineName(d.ID())}
		if s.IsOut() && !known[id] {
			all = append(all, machines.Machine{ID: id})
		}
	}
	for _, a := range answers {
		if a.Err != nil && !errors.Is(a.Err, provider.ErrNoLogin) { // nobody ever made one there
			unasked = append(unasked, fmt.Errorf("machines of %s: %w", d.ID(), a.Err))
		}
	}
	return all, errors.Join(unasked...)
}

// labels mark the machines of a voyage as this install's.
func (h *Helm) labels(d fleet.Dir) map[string]string {
	return map[string]string{provider.Install: h.install, "voyage": d.ID()}
}
