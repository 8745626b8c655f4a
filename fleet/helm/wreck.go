package helm

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	gosync "sync"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/machines"
	"ocaptain/fleet/provider"
	"ocaptain/fleet/provider/sprites"
)

// Gone returns the id of the voyage without a directory whose machines this install still remembers and
// that name means: an id, or an unambiguous beginning of one. It is "" when there is none.
func Gone(hub fleet.Hub, name string) (string, error) {
	ids, err := AllGone(hub)
	if err != nil || name == "" {
		return "", err
	}
	ids = slices.DeleteFunc(ids, func(id string) bool {
		return !strings.HasPrefix(id, name) && !strings.HasPrefix(strings.TrimPrefix(id, "voyage-"), name)
	})
	if len(ids) > 1 {
		return "", fmt.Errorf("%q means more than one voyage whose directory is gone: %s", name, strings.Join(ids, ", "))
	}
	return strings.Join(ids, ""), nil
}

// AllGone returns the ids of the voyages whose directories are gone and that may have machines still.
func AllGone(hub fleet.Hub) ([]string, error) {
	entries, err := Machines(hub).All()
	if err != nil {
		return nil, err
	}
	dirs, err := fleet.Voyages(hub.Voyages).List()
	if err != nil {
		return nil, err
	}
	var ids []string
	for _, e := range entries {
		there := slices.ContainsFunc(dirs, func(d fleet.Dir) bool { return d.ID() == e.Voyage })
		if id, ok := fleet.VoyageOf(e.Name); ok && id == e.Voyage && !there {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids), nil
}

// sinkWreck destroys the machines of a voyage whose directory is damaged or gone: those that fleet.json
// still tells, those on record, and those that the providers say are its. What cannot be destroyed
// now helm goes on trying to destroy. It does not end when the caller leaves.
func (h *Helm) sinkWreck(d fleet.Dir, report func(api.Progress)) error {
	f, err := fleet.LoadFleet(d)
	if err != nil {
		report(api.Progress{State: api.StepNote, Text: err.Error() + "; only what is known elsewhere can be destroyed"})
	}
	all, failed := h.wrecks(d, f)
	var mu gosync.Mutex
	var ended gosync.WaitGroup
	for _, m := range all {
		ended.Go(func() {
			if err := h.scuttle(m, report); err != nil {
				report(api.Progress{Ship: m.Name, Step: "sink", State: api.StepFailed, Text: err.Error()})
				mu.Lock()
				failed = append(failed, fmt.Errorf("%s: %w", m.Name, err))
				mu.Unlock()
			}
		})
	}
	ended.Wait()
	if len(failed) > 0 {
		return errors.Join(failed...)
	}
	if err := os.Remove(d.Secrets()); err != nil && !os.IsNotExist(err) {
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

// wrecks finds the machines of a voyage without its help, and says what could not be asked.
func (h *Helm) wrecks(d fleet.Dir, f fleet.Fleet) (all []machines.Machine, failed []error) {
	there, answers, err := h.machines.Look(h.ctx, h.configured(), fleet.MachinePrefix, surveying)
	if err != nil {
		failed = append(failed, err)
	}
	known := map[machines.ID]bool{}
	for _, m := range there {
		if !m.Others && m.Voyage() == d.ID() {
			all, known[m.ID] = append(all, m), true
		}
	}
	for _, s := range f.Ships {
		id := machines.ID{Provider: s.Provider, Name: s.MachineName(d.ID())}
		if s.Out() && !known[id] {
			all = append(all, machines.Machine{ID: id})
		}
	}
	for _, a := range answers {
		if a.Err != nil && !errors.Is(a.Err, sprites.ErrNoToken) { // nobody ever made one there
			failed = append(failed, fmt.Errorf("machines of %s: %w", d.ID(), a.Err))
		}
	}
	return all, failed
}

// scuttle destroys one machine. Its work is brought home before, if it can be reached: there may
// be no clone of the voyage that has it.
func (h *Helm) scuttle(m machines.Machine, report func(api.Progress)) error {
	report(api.Progress{Ship: m.Name, Step: "sink", State: api.StepStarted})
	began := time.Now()
	if m.Listed != nil {
		if err := h.bringWork(m.Provider, *m.Listed, report); err != nil {
			report(lost(m.Name, err))
		}
	}
	if err := h.scrap(found{Orphan: api.Orphan{Name: m.Name}, machine: m}, "its voyage was sunk", report); err != nil {
		return err
	}
	report(api.Progress{Ship: m.Name, Step: "sink", State: api.StepDone, Took: time.Since(began)})
	return nil
}

// labels mark the machines of a voyage as this install's.
func (h *Helm) labels(d fleet.Dir) map[string]string {
	return map[string]string{provider.Install: h.install, "voyage": d.ID()}
}
