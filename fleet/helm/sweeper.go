package helm

import (
	"context"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/helm/sweep"
	"ocaptain/fleet/install"
	"ocaptain/fleet/machines"
)

// sweepRoutes are the part of helm's interface that is about machines which no voyage has.
func (h *Helm) sweepRoutes(mux *http.ServeMux) {
	mux.HandleFunc("GET /v1/orphans", answer(func(r *http.Request) (any, error) {
		which := splitWords(r.FormValue("provider"))
		named := which
		if len(which) == 0 {
			named = splitWords(r.FormValue("also"))
			which = append(install.Asked(h.hub, h.machines), named...)
			slices.Sort(which)
			which = slices.Compact(which)
		}
		for _, name := range which {
			if h.providers[name] == nil {
				return nil, api.NotFound("there is no provider %.40q", name)
			}
		}
		return h.sweeper.Find(r.Context(), which, named)
	}))
	mux.HandleFunc("GET /v1/orphans/known", answer(func(r *http.Request) (any, error) { return h.sweeper.Known(r.Context()) }))
	mux.HandleFunc("POST /v1/orphans/sweep", progress(func(ctx context.Context, r *http.Request, report func(api.Progress)) error {
		var in api.SweepRequest
		if err := read(r, &in); err != nil {
			return err
		}
		return h.sweeper.Sweep(ctx, in, report)
	}))
}

func splitWords(words string) []string {
	return slices.DeleteFunc(strings.Split(words, ","), func(w string) bool { return w == "" })
}

// newSweeper returns what finds and destroys machines that no voyage has.
func (h *Helm) newSweeper() *sweep.Sweeper {
	return sweep.New(sweep.Options{
		Context: h.ctx, Hub: h.hub, Install: h.install, Machines: h.machines, Providers: h.providers, Signers: h.signers(), Log: h.log,
		Tell: h.tellAll,
		Add: func(all *machines.Voyages) {
			for _, v := range h.all() {
				changes(v, func() { all.Add(v.dir.ID(), &v.fleet) })
			}
		},
		Hold: func(ctx context.Context, voyage string) (release func(), err error) {
			h.mu.Lock()
			v := h.voyages[voyage]
			h.mu.Unlock()
			if v == nil {
				return func() {}, nil
			}
			return v.busy.Unlock, v.busy.Lock(ctx)
		},
	})
}

// all are the voyages that helm looks after.
func (h *Helm) all() []*voyage {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Collect(maps.Values(h.voyages))
}

// tellAll tells the captain something on every voyage that is under way.
func (h *Helm) tellAll(text string) {
	for _, v := range h.all() {
		v.addNote(fleet.Note{At: time.Now(), Text: text})
	}
}
