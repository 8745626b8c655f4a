package helm

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"ocaptain/fleet/helm/api"
)

// sweepRoutes adds the routes for machines that belong to no voyage.
func (h *Helm) sweepRoutes(mux *http.ServeMux) {
	mux.HandleFunc("GET /v1/orphans", answer(func(r *http.Request) (any, error) {
		return h.set.FindOrphans(r.Context(), splitWords(r.FormValue("provider")), splitWords(r.FormValue("also")))
	}))
	mux.HandleFunc("GET /v1/orphans/known", answer(func(r *http.Request) (any, error) { return h.set.Sweeper.Known(r.Context()) }))
	mux.HandleFunc("POST /v1/orphans/sweep", progress(func(ctx context.Context, r *http.Request, report func(api.Progress)) error {
		var in api.SweepRequest
		if err := read(r, &in); err != nil {
			return err
		}
		return h.set.Sweeper.Sweep(ctx, in, report)
	}))
}

func splitWords(words string) []string {
	return slices.DeleteFunc(strings.Split(words, ","), func(w string) bool { return w == "" })
}
