package voyages

import (
	"context"
	"os"
	"path/filepath"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
)

// Remove removes all that this machine has of a voyage that is sunk.
func (h *Set) Remove(ctx context.Context, name string) error {
	d, err := fleet.Voyages(h.Hub.Voyages).Find(name)
	if err != nil {
		return api.NotFound("%v", err)
	}
	_, gate := h.opened(d.ID())
	if err := gate.Lock(ctx); err != nil {
		return err
	}
	defer gate.Unlock()
	if f, err := fleet.LoadFleet(d); err != nil || f.Phase != fleet.Sunk {
		return api.Refused("voyage %s is not sunk: ocaptain sink %[1]s", d.ID())
	}
	records, err := h.Machines.All()
	if err != nil {
		return err
	}
	for _, r := range records {
		if r.Voyage == d.ID() && !r.Gone {
			return api.Refused("machine %s of voyage %s may be there still at %s: see ocaptain sweep", r.Name, d.ID(), r.Provider)
		}
	}
	if v := h.named(d.ID()); v != nil {
		h.close(v)
	}
	gone := filepath.Join(h.Hub.Voyages, ".removed-"+d.ID()) // not a voyage any more, even if not all of it can be removed
	if err := os.Rename(string(d), gone); err != nil {
		return err
	}
	return os.RemoveAll(gone)
}
