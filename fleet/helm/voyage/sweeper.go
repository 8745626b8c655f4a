package voyage

import (
	"context"
	"maps"
	"slices"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/helm/sweep"
	"ocaptain/fleet/install"
	"ocaptain/fleet/machines"
)

// FindOrphans looks for machines that no voyage has at the providers of these names, or at all that may have some and at the others.
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
			for _, v := range h.all() {
				all.Add(v.dir.ID(), v.roster.Now())
			}
		},
		Hold: func(ctx context.Context, voyage string) (release func(), err error) {
			h.mu.Lock()
			v := h.voyages[voyage]
			h.mu.Unlock()
			if v == nil {
				return func() {}, nil
			}
			return v.Fit.Busy.Unlock, v.Fit.Busy.Lock(ctx)
		},
	})
}

// all are the voyages that helm looks after.
func (h *Set) all() []*Voyage {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Collect(maps.Values(h.voyages))
}

// tellAll tells the captain something on every voyage that is under way.
func (h *Set) tellAll(text string) {
	for _, v := range h.all() {
		v.notes.Add(fleet.Note{At: time.Now(), Text: text})
	}
}
