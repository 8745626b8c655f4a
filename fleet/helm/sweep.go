package helm

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	gosync "sync"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/machines"
)

// sweepers is how many machines are destroyed at once.
const sweepers = 8

// sweepRoutes are the part of helm's interface that is about machines which no voyage has.
func (h *Helm) sweepRoutes(mux *http.ServeMux) {
	mux.HandleFunc("GET /v1/orphans", answer(func(r *http.Request) (any, error) {
		which := split(r.FormValue("provider"))
		named := which
		if len(which) == 0 {
			named = split(r.FormValue("also"))
			which = append(h.configured(), named...)
			slices.Sort(which)
			which = slices.Compact(which)
		}
		for _, name := range which {
			if h.providers[name] == nil {
				return nil, api.NotFound("there is no provider %.40q", name)
			}
		}
		all, unasked, err := h.find(r.Context(), which, named)
		if err != nil {
			return nil, err
		}
		s := sweepable(all, unasked)
		if len(s.Orphans) > 0 {
			s.Doubt, err = Doubt(h.hub)
		}
		return s, err
	}))
	mux.HandleFunc("GET /v1/orphans/known", answer(func(r *http.Request) (any, error) {
		select {
		case <-h.orphans.done:
			return append(h.orphans.known(), h.unwanted()...), nil
		case <-r.Context().Done():
			return nil, r.Context().Err()
		}
	}))
	mux.HandleFunc("POST /v1/orphans/sweep", progress(func(ctx context.Context, r *http.Request, report func(api.Progress)) error {
		var in api.SweepRequest
		if err := read(r, &in); err != nil {
			return err
		}
		return h.sweep(ctx, in, report)
	}))
}

func split(words string) []string {
	return slices.DeleteFunc(strings.Split(words, ","), func(w string) bool { return w == "" })
}

// sweep destroys machines that no voyage has. Whether that is still so is looked at again: each is
// found anew, and while one goes, its voyage, if there is one, makes no other of that name.
func (h *Helm) sweep(ctx context.Context, r api.SweepRequest, report func(api.Progress)) error {
	if doubt, err := Doubt(h.hub); err != nil {
		return err
	} else if doubt != "" && !r.Sure {
		return api.Refused("%s Nothing was destroyed; once their voyages are gone for certain, name the machines: ocaptain sweep NAME", doubt)
	}
	var which []string
	for _, t := range r.Machines {
		which = append(which, t.Provider)
	}
	slices.Sort(which)
	which = slices.Compact(which)
	all, unasked, err := h.find(ctx, which, which)
	if err != nil {
		return err
	}
	var mu gosync.Mutex
	var failed []error
	fail := func(t api.SweepTarget, err error) {
		mu.Lock()
		defer mu.Unlock()
		failed = append(failed, fmt.Errorf("%s: %w", word(t.Name), err))
		report(api.Progress{Ship: word(t.Name), Step: "sweep", State: api.StepFailed, Text: err.Error()})
	}
	var swept gosync.WaitGroup
	slots := make(chan struct{}, sweepers)
	for _, t := range r.Machines {
		i := slices.IndexFunc(all, func(f found) bool { return f.is(t) })
		switch {
		case i < 0:
			fail(t, notFound(t, unasked))
			continue
		case all[i].others && !r.Others:
			fail(t, api.Refused("it is not this install's: %s", all[i].Why))
			continue
		}
		swept.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			if err := h.sweepOne(ctx, all[i], r.Lose, report); err != nil {
				fail(t, err)
			}
		})
	}
	swept.Wait()
	return errors.Join(failed...)
}

// is reports whether a target means this machine: the same name made anew is another.
func (f *found) is(t api.SweepTarget) bool {
	return f.Provider == t.Provider && f.Name == t.Name && (f.ID == t.ID || f.ID == "" || t.ID == "")
}

// notFound says why a machine is not among those that no voyage has.
func notFound(t api.SweepTarget, unasked []api.Unasked) error {
	for _, u := range unasked {
		if u.Provider == t.Provider {
			return errors.New(u.Why)
		}
	}
	return api.NotFound("it is gone, or a voyage has it")
}

// sweepOne destroys one machine, once its work is at home or may be lost. Once begun it goes on when the caller leaves.
func (h *Helm) sweepOne(ctx context.Context, f found, lose bool, report func(api.Progress)) error {
	h.mu.Lock()
	v := h.voyages[f.Voyage]
	h.mu.Unlock()
	if v != nil && !f.others {
		ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
		defer cancel()
		if v.busy.Lock(ctx) != nil {
			return api.Refused("its voyage is at work on its ships: try again later")
		}
		defer v.busy.Unlock()
	}
	if !f.others {
		own, err := h.owned()
		if err != nil {
			return err
		}
		if own.has(f.machine.ID, f.Voyage) {
			return api.Refused("its voyage has it again")
		}
	}
	report(api.Progress{Ship: f.Name, Step: "sweep", State: api.StepStarted})
	began := time.Now()
	if f.Seen && !f.others && !f.Doomed {
		if err := h.bringWork(f.Provider, *f.machine.Listed, report); err != nil && !lose {
			return fmt.Errorf("it is not destroyed, as its work could not be brought home: %w; to lose what is only on it: ocaptain sweep %s --force", err, f.Name)
		} else if err != nil {
			report(lost(f.Name, err))
		}
	}
	if err := h.scrap(f, "swept", report); err != nil {
		return err
	}
	h.forgetOrphan(machines.ID{Provider: f.Provider, Name: f.Name})
	report(api.Progress{Ship: f.Name, Step: "sweep", State: api.StepDone, Took: time.Since(began)})
	return nil
}

// scrap destroys a machine. What is this install's and cannot be destroyed now, helm goes on with.
func (h *Helm) scrap(f found, why string, report func(api.Progress)) error {
	if f.others {
		if err := h.machines.Scrap(h.ctx, f.machine.ID, *f.machine.Listed); err != nil {
			return fmt.Errorf("%w; try again with: ocaptain sweep", err)
		}
		return nil
	}
	waits := func(text string) {
		report(api.Progress{Ship: f.Name, State: api.StepNote, Text: text + "; ctrl-c leaves, and " + fleet.UntilGone})
	}
	err := h.machines.Until(h.ctx, f.machine.ID, why, f.machine.Listed, waits)
	if err != nil {
		return fmt.Errorf("%w; %s", err, fleet.UntilGone)
	}
	return nil
}
