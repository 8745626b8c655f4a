package helm

import (
	"os"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/helm/secrets"
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
	if err := h.sweeper.Sink(d, f, report); err != nil {
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
		serial = max(serial, facts.Fleet.Serial) // which it is to be newer than
	}
	return (&fleet.Fleet{Serial: serial + 1, Phase: fleet.Sunk, Since: time.Now(), Next: f.Next, Verify: f.Verify}).Save(d)
}

// labels mark the machines of a voyage as this install's.
func (h *Helm) labels(d fleet.Dir) map[string]string {
	return map[string]string{provider.Install: h.install, "voyage": d.ID()}
}
