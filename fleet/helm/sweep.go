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
	"ocaptain/fleet/clean"
	"ocaptain/fleet/helm/api"
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
		all, unasked, err := h.findOrphans(r.Context(), which, named)
		if err != nil {
			return nil, err
		}
		return h.sweepOf(all, unasked)
	}))
	mux.HandleFunc("GET /v1/orphans/known", answer(func(r *http.Request) (any, error) { return h.knownOrphans(r.Context()) }))
	mux.HandleFunc("POST /v1/orphans/sweep", progress(func(ctx context.Context, r *http.Request, report func(api.Progress)) error {
		var in api.SweepRequest
		if err := read(r, &in); err != nil {
			return err
		}
		return h.sweep(ctx, in, report)
	}))
}

func splitWords(words string) []string {
	return slices.DeleteFunc(strings.Split(words, ","), func(w string) bool { return w == "" })
}

// sweep destroys machines that no voyage has. Whether that is still so is looked at again: each is
// found anew, and while one goes, its voyage, if there is one, makes no other of that name.
func (h *Helm) sweep(ctx context.Context, r api.SweepRequest, report func(api.Progress)) error {
	if unsure, err := h.machines.Unmounted(h.hub.Voyages); err != nil {
		return err
	} else if unsure != "" && !r.Sure {
		return api.Refused("%s Nothing was destroyed; once their voyages are gone for certain, name the machines: ocaptain sweep NAME", unsure)
	}
	var which []string
	for _, t := range r.Machines {
		which = append(which, t.Provider)
	}
	slices.Sort(which)
	which = slices.Compact(which)
	all, unasked, err := h.findOrphans(ctx, which, which)
	if err != nil {
		return err
	}
	return each("sweep", r.Machines, func(t api.SweepTarget) string { return clean.Word(t.Name) }, report, func(t api.SweepTarget) error {
		i := slices.IndexFunc(all, func(o machines.Orphan) bool { return is(o, t) })
		switch {
		case i < 0:
			return h.unlisted(t, unasked, report)
		case all[i].Machine.Others && !r.Others:
			return api.Refused("it is not this install's: %s", all[i].Why)
		}
		return h.sweepOne(ctx, all[i], r.Lose, report)
	})
}

// each destroys several machines at the same time. One that fails keeps no other from it.
func each[T any](step string, all []T, name func(T) string, report func(api.Progress), destroy func(T) error) error {
	var mu gosync.Mutex
	var failed []error
	var ended gosync.WaitGroup
	for _, one := range all {
		ended.Go(func() {
			if err := destroy(one); err != nil {
				report(api.Progress{Ship: name(one), Step: step, State: api.StepFailed, Text: err.Error()})
				mu.Lock()
				defer mu.Unlock()
				failed = append(failed, fmt.Errorf("%s: %w", name(one), err))
			}
		})
	}
	ended.Wait()
	return errors.Join(failed...)
}

// is reports whether a target means this machine: the same name made anew is another.
func is(o machines.Orphan, t api.SweepTarget) bool {
	return o.Provider == t.Provider && o.Name == t.Name && (o.ID == t.ID || o.ID == "" || t.ID == "")
}

// unlisted ends the sweep of a machine that is not on the list of orphans. A machine that was destroyed meanwhile is no failure.
func (h *Helm) unlisted(t api.SweepTarget, unasked []machines.Answer, report func(api.Progress)) error {
	for _, a := range unasked {
		if a.Provider == t.Provider {
			return errors.New(cleanText(a.Err.Error(), maxText))
		}
	}
	voyages, err := h.owners()
	if err != nil {
		return err
	}
	voyage, _ := fleet.VoyageOf(t.Name)
	if voyages.Have(machines.ID{Provider: t.Provider, Name: t.Name}, voyage) {
		return api.Refused("a voyage has it now")
	}
	report(api.Progress{Ship: clean.Word(t.Name), Step: "sweep", State: api.StepNote, Text: t.Provider + " does not list it any more, so nothing was destroyed; to look again: ocaptain sweep --dry-run"})
	return nil
}

// sweepOne destroys one machine, once its work is at home or may be lost. Once begun it goes on when the caller leaves.
func (h *Helm) sweepOne(ctx context.Context, o machines.Orphan, lose bool, report func(api.Progress)) error {
	m := o.Machine
	if m.Others {
		return h.sweepOthers(m, report)
	}
	h.mu.Lock()
	v := h.voyages[o.Voyage]
	h.mu.Unlock()
	if v != nil {
		ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
		defer cancel()
		if v.busy.Lock(ctx) != nil {
			return api.Refused("its voyage is at work on its ships: try again later")
		}
		defer v.busy.Unlock()
	}
	voyages, err := h.owners()
	if err != nil {
		return err
	}
	if voyages.Have(m.ID, o.Voyage) {
		return api.Refused("its voyage has it again")
	}
	return h.destroyAlone(m, "sweep", "swept", lose || o.Unwanted, report)
}

// sweepOthers destroys a machine that is not this install's.
func (h *Helm) sweepOthers(m machines.Machine, report func(api.Progress)) error {
	report(api.Progress{Ship: clean.Word(m.Name), Step: "sweep", State: api.StepStarted})
	began := time.Now()
	if err := h.machines.DestroyOthers(h.ctx, m); err != nil {
		return fmt.Errorf("%w; try again with: ocaptain sweep", err)
	}
	report(api.Progress{Ship: clean.Word(m.Name), Step: "sweep", State: api.StepDone, Took: time.Since(began)})
	return nil
}

// destroyAlone destroys a machine whose voyage does not see to it, and brings home its work before, which may be lost
// only if lose says so.
func (h *Helm) destroyAlone(m machines.Machine, step, why string, lose bool, report func(api.Progress)) error {
	name := clean.Word(m.Name)
	report(api.Progress{Ship: name, Step: step, State: api.StepStarted})
	began := time.Now()
	if m.Listed != nil {
		if err := h.bringWork(m.Provider, *m.Listed, report); err != nil && !lose {
			return fmt.Errorf("it is not destroyed, as its work could not be brought home: %w; to lose what is only on it: ocaptain sweep %s --force", err, name)
		} else if err != nil {
			report(api.Progress{Ship: name, State: api.StepNote, Lost: true, Text: "what is only on it is lost, as it could not be brought home: " + err.Error()})
		}
	}
	if err := h.machines.Until(h.ctx, m.ID, why, m.Listed, waits(name, report)); err != nil {
		return fmt.Errorf("%w; %s", err, fleet.UntilGone)
	}
	report(api.Progress{Ship: name, Step: step, State: api.StepDone, Took: time.Since(began)})
	return nil
}

// waits reports what it is that a destruction waits for.
func waits(ship string, report func(api.Progress)) func(string) {
	return func(text string) {
		report(api.Progress{Ship: ship, State: api.StepNote, Text: text + "; ctrl-c leaves, and " + fleet.UntilGone})
	}
}
