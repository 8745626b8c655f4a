package voyages

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/helm/secrets"
)

// Sink sinks the voyage of that name, even if its directory is damaged or gone.
func (h *Set) Sink(ctx context.Context, name string, report func(api.Progress)) error {
	d, err := fleet.Voyages(h.Hub.Voyages).Find(name)
	if err != nil {
		gone, e := h.Machines.GoneVoyage(h.Hub.Voyages, name)
		if e != nil || gone == "" {
			return errors.Join(err, e)
		}
		if v := h.named(gone); v != nil { // it is still in memory
			return v.Fit.Sink(ctx, report)
		}
		report(api.Progress{State: api.StepNote, Text: "the directory of " + gone + " is gone; what this install remembers of its machines is destroyed"})
		return h.sinkDamaged(fleet.Dir(filepath.Join(h.Hub.Voyages, gone)), report)
	}
	v, err := h.open(d)
	if err != nil && h.ctx.Err() == nil {
		report(api.Progress{State: api.StepNote, Text: err.Error()})
		return h.sinkDamaged(d, report)
	}
	if err != nil {
		return err
	}
	if err := v.Fit.Sink(ctx, report); err != nil {
		return err
	}
	h.forget(v)
	return nil
}

// sinkDamaged destroys the machines of a voyage whose directory is damaged or gone: machines that fleet.json still
// names, machines on record, and machines that providers list as the voyage's. Helm keeps trying to destroy the
// others, also after ctx ends.
func (h *Set) sinkDamaged(d fleet.Dir, report func(api.Progress)) error {
	f, err := fleet.LoadFleet(d)
	if err != nil {
		report(api.Progress{State: api.StepNote, Text: err.Error() + "; only what is known elsewhere can be destroyed"})
	}
	if err := h.Sweeper.Sink(d, f, report); err != nil {
		return err
	}
	if err := secrets.Remove(d); err != nil {
		return err
	}
	if _, err := os.Stat(string(d)); os.IsNotExist(err) {
		return nil
	}
	serial := f.Serial
	if facts, err := fleet.ReadFacts(d); err == nil && facts.Fleet != nil {
		serial = max(serial, facts.Fleet.Serial) // fleet.json must be newer than the fleet in the journal
	}
	return (&fleet.Fleet{Serial: serial + 1, Phase: fleet.Sunk, Since: time.Now(), Next: f.Next, Verify: f.Verify}).Save(d)
}
