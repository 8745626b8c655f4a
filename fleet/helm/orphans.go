package helm

import (
	"context"
	"fmt"
	"maps"
	"slices"
	gosync "sync"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/clean"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/install"
	"ocaptain/fleet/machines"
	"ocaptain/fleet/provider/registry"
)

// surveying bounds the question to one provider.
const surveying = time.Minute

// orphans is what helm knows by itself of machines that no voyage has.
type orphans struct {
	mu   gosync.Mutex
	done chan struct{} // closed when helm has looked once
	all  []machines.Orphan
}

// set keeps what was found last.
func (o *orphans) set(all []machines.Orphan) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.all = all
}

// forget drops one that is gone.
func (o *orphans) forget(id machines.ID) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.all = slices.DeleteFunc(slices.Clone(o.all), func(one machines.Orphan) bool { return one.Provider == id.Provider && one.Name == id.Name })
}

// unswept returns what was found last and waits for the captain's word.
func (o *orphans) unswept() []machines.Orphan {
	o.mu.Lock()
	defer o.mu.Unlock()
	return unswept(o.all)
}

// names are those of the machines that wait for the captain, and of those that are to go and do not.
func (o *orphans) names() (all []string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, one := range o.all {
		if !one.Unwanted || one.Trouble != "" {
			all = append(all, clean.Word(one.Name))
		}
	}
	return all
}

func unswept(all []machines.Orphan) []machines.Orphan {
	some := []machines.Orphan{}
	for _, o := range all {
		if !o.Unwanted {
			some = append(some, o)
		}
	}
	return some
}

// owners looks at all voyages: those that helm looks after as it knows them, also when somebody has removed or damaged
// their directory, the others as they are on disk.
func (h *Helm) owners() (*machines.Voyages, error) {
	all, err := machines.ReadVoyages(h.hub.Voyages)
	if err != nil {
		return nil, err
	}
	h.mu.Lock()
	voyages := slices.Collect(maps.Values(h.voyages))
	h.mu.Unlock()
	for _, v := range voyages {
		changes(v, func() { all.Add(v.dir.ID(), &v.fleet) })
	}
	return all, nil
}

// findOrphans asks providers for machines that no voyage has: see machines.Keeper.Orphans.
func (h *Helm) findOrphans(ctx context.Context, which, named []string) ([]machines.Orphan, []machines.Answer, error) {
	return h.machines.Orphans(ctx, which, named, h.owners, surveying)
}

// lookForOrphans looks once, after all voyages are taken up. It asks the services that cost; of hosts
// it believes the records, as asking would mean to log in to each. It destroys nothing and complains of
// nothing: what cannot be asked is told to who asks for a sweep.
func (h *Helm) lookForOrphans() {
	defer close(h.orphans.done)
	ctx, cancel := context.WithTimeout(h.ctx, 2*surveying)
	defer cancel()
	quiet := slices.DeleteFunc(install.Asked(h.hub, h.machines), func(name string) bool { return registry.Of(name).Many })
	all, unasked, err := h.findOrphans(ctx, quiet, nil)
	if err == nil {
		var ashore []machines.Orphan
		ashore, err = h.orphansOnRecord(func(r machines.Record) bool { return registry.Of(r.Provider).Many })
		all = append(all, ashore...)
	}
	if h.ctx.Err() != nil {
		return
	}
	if err != nil {
		h.log.Warn("no look for orphans", "error", err)
	}
	for _, u := range unasked {
		h.log.Info("not asked for orphans", "provider", u.Provider, "why", u.Err)
	}
	ours := slices.DeleteFunc(all, func(o machines.Orphan) bool { return o.Machine.Others })
	h.orphans.set(ours)
	if n := len(unswept(ours)); n > 0 {
		h.log.Warn("machines that no voyage has", "count", n)
		text := fmt.Sprintf("%s that no voyage has may cost you: see and destroy with: ocaptain sweep", countMachines(n))
		if why, err := h.machines.Unmounted(h.hub.Voyages); err == nil && why != "" {
			text = fmt.Sprintf("%s may cost you, and no voyage is seen to have them: %s", countMachines(n), why)
		}
		h.tellAll(text)
	}
}

// countMachines counts them in words.
func countMachines(n int) string {
	if n == 1 {
		return "1 machine"
	}
	return fmt.Sprintf("%d machines", n)
}

// tellAll tells the captain something on every voyage that is under way.
func (h *Helm) tellAll(text string) {
	h.mu.Lock()
	all := slices.Collect(maps.Values(h.voyages))
	h.mu.Unlock()
	for _, v := range all {
		v.addNote(fleet.Note{At: time.Now(), Text: text})
	}
}

// orphansOnRecord are those machines on record that no voyage has. Nobody is asked.
func (h *Helm) orphansOnRecord(which func(machines.Record) bool) ([]machines.Orphan, error) {
	voyages, err := h.owners()
	if err != nil {
		return nil, err
	}
	return h.machines.OnRecord(voyages, which)
}

// knownOrphans are the machines that helm has found by itself, once it has looked, and those that it is at destroying.
func (h *Helm) knownOrphans(ctx context.Context) ([]machines.Orphan, error) {
	select {
	case <-h.orphans.done:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	unwanted, _ := h.orphansOnRecord(func(r machines.Record) bool { return r.Unwanted && !r.Gone }) // who asks for a sweep is told
	return append(h.orphans.unswept(), unwanted...), nil
}

// sweepOf turns what was found into what is told.
func (h *Helm) sweepOf(all []machines.Orphan, unasked []machines.Answer) (api.Sweep, error) {
	s := api.Sweep{At: time.Now(), Install: h.install, Orphans: []machines.Orphan{}, Others: []machines.Orphan{}, Unasked: []api.Unasked{}}
	for _, o := range all {
		if o.Machine.Others {
			s.Others = append(s.Others, o)
		} else {
			s.Orphans = append(s.Orphans, o)
		}
	}
	for _, a := range unasked {
		s.Unasked = append(s.Unasked, api.Unasked{Provider: a.Provider, Why: cleanText(a.Err.Error(), maxText)})
	}
	if len(s.Orphans) == 0 {
		return s, nil
	}
	var err error
	s.Unsure, err = h.machines.Unmounted(h.hub.Voyages)
	return s, err
}
