package voyages

import (
	"context"
	"slices"

	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/helm/sweep"
	"ocaptain/fleet/install"
	"ocaptain/fleet/machines"
)

// FindOrphans looks for machines that no voyage has at the named providers. Without names it asks the others, and all providers that may have
// machines of this install.
func (h *Set) FindOrphans(ctx context.Context, which, others []string) (api.Sweep, error) {
	named := which
	if len(which) == 0 {
		named = others
		which = append(install.Asked(h.Hub, h.Machines), named...)
		slices.Sort(which)
		which = slices.Compact(which)
	}
	for _, name := range which {
		if h.Providers[name] == nil {
			return api.Sweep{}, api.NotFound("there is no provider %.40q", name)
		}
	}
	return h.Sweeper.Find(ctx, which, named)
}

// newSweeper returns what finds and destroys machines that no voyage has.
func (h *Set) newSweeper() *sweep.Sweeper {
	return sweep.New(sweep.Options{
		Context: h.ctx, Hub: h.Hub, Install: h.Install, Machines: h.Machines, Providers: h.Providers, Signers: h.Signers(), Log: h.log,
		Tell: h.tellAll,
		Add: func(all *machines.Voyages) {
			for id, v := range h.all() {
				all.Add(id, v.Roster.Now())
			}
		},
		Hold: func(ctx context.Context, id string) (release func(), err error) {
			v := h.named(id)
			if v == nil {
				return func() {}, nil
			}
			return v.Fit.Busy.Unlock, v.Fit.Busy.Lock(ctx)
		},
	})
}
