package helm

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/provider/sprites"
)

// sinkWreck destroys the machines of a voyage whose directory is damaged: those that
// fleet.json still tells, and those that the providers say are its.
func (h *Helm) sinkWreck(ctx context.Context, d fleet.Dir, report func(Progress)) error {
	type machine struct{ provider, name string }
	found := map[machine]bool{}
	f, err := fleet.LoadFleet(d)
	if err != nil {
		report(Progress{State: Say, Text: err.Error() + "; only what the providers know can be destroyed"})
	}
	for _, s := range f.Ships {
		found[machine{s.Provider, s.MachineName(d.ID())}] = true
	}
	for name, p := range h.providers {
		listing, cancel := context.WithTimeout(ctx, time.Minute)
		all, err := p.List(listing, h.labels(d))
		cancel()
		if errors.Is(err, sprites.ErrNoToken) {
			continue // nobody ever made one there
		}
		if err != nil {
			return fmt.Errorf("machines of %s: %w", d.ID(), err)
		}
		for _, m := range all {
			found[machine{name, m.Name}] = true
		}
	}
	var failed []error
	for m := range found {
		p := h.providers[m.provider]
		if p == nil {
			failed = append(failed, fmt.Errorf("%s: this ocaptain does not know the provider %q", m.name, m.provider))
			continue
		}
		report(Progress{Ship: m.name, Step: "sink", State: Start})
		began := time.Now()
		moored, err := h.harbour.leave(m.name)
		if err != nil {
			report(Progress{Ship: m.name, State: Say, Text: "its device on the tailnet may stay: " + err.Error()})
		}
		destroying, cancel := context.WithTimeout(ctx, 2*time.Minute)
		err = p.Destroy(destroying, m.name)
		cancel()
		if err != nil {
			failed = append(failed, fmt.Errorf("%s: %w", m.name, err))
			continue
		}
		if moored {
			h.harbour.poke()
		}
		report(Progress{Ship: m.name, Step: "sink", State: Ended, Took: time.Since(began)})
	}
	if len(failed) > 0 {
		return errors.Join(failed...)
	}
	if err := os.Remove(d.Secrets()); err != nil && !os.IsNotExist(err) {
		return err
	}
	return (&fleet.Fleet{Phase: fleet.Sunk, Since: time.Now(), Next: f.Next, Verify: f.Verify}).Save(d)
}

// labels mark the machines of a voyage as this install's.
func (h *Helm) labels(d fleet.Dir) map[string]string {
	return map[string]string{"ocaptain": h.install, "voyage": d.ID()}
}
