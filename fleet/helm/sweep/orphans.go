package sweep

import (
	"context"
	"fmt"
	"slices"
	gosync "sync"
	"time"

	"ocaptain/fleet/clean"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/install"
	"ocaptain/fleet/machines"
	"ocaptain/fleet/provider/registry"
)

// surveying bounds how long one provider may take to answer.
const surveying = time.Minute

// orphans are the machines without a voyage that helm has found by itself.
type orphans struct {
	mu   gosync.Mutex
	done chan struct{} // closed once helm has looked
	all  []machines.Orphan
}

// set replaces the list of orphans.
func (o *orphans) set(all []machines.Orphan) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.all = all
}

// forget removes a machine that is gone from the list.
func (o *orphans) forget(id machines.ID) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.all = slices.DeleteFunc(slices.Clone(o.all), func(one machines.Orphan) bool { return one.Provider == id.Provider && one.Name == id.Name })
}

// unswept returns the orphans that wait for the captain's decision.
func (o *orphans) unswept() []machines.Orphan {
	o.mu.Lock()
	defer o.mu.Unlock()
	return unswept(o.all)
}

// names implements Sweeper.Names.
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

// Forget removes a machine that is gone from the list.
func (s *Sweeper) Forget(id machines.ID) { s.found.forget(id) }

// Names returns the names of the machines that wait for the captain's decision, and of machines that could not be
// destroyed yet.
func (s *Sweeper) Names() []string { return s.found.names() }

func unswept(all []machines.Orphan) []machines.Orphan {
	some := []machines.Orphan{}
	for _, o := range all {
		if !o.Unwanted {
			some = append(some, o)
		}
	}
	return some
}

// owners returns which machines belong to voyages. For a voyage that helm manages, helm's own data counts, even if
// its directory was removed or damaged; for any other voyage its files count.
func (s *Sweeper) owners() (*machines.Voyages, error) {
	all, err := machines.ReadVoyages(s.o.Hub.Voyages)
	if err != nil {
		return nil, err
	}
	s.o.Add(all)
	return all, nil
}

// find asks providers for machines that belong to no voyage: see machines.Keeper.Orphans.
func (s *Sweeper) find(ctx context.Context, which, named []string) ([]machines.Orphan, []machines.Answer, error) {
	return s.o.Machines.Orphans(ctx, which, named, s.owners, surveying)
}

// Look looks once for orphans, after helm has taken up all voyages. It asks the providers that cost money. For hosts
// it relies on records, since asking would mean to log in to each. It destroys nothing and reports no errors: Find
// reports them.
func (s *Sweeper) Look() {
	defer close(s.found.done)
	ctx, cancel := context.WithTimeout(s.o.Context, 2*surveying)
	defer cancel()
	quiet := slices.DeleteFunc(install.Asked(s.o.Hub, s.o.Machines), func(name string) bool { return registry.Of(name).Many })
	all, unasked, err := s.find(ctx, quiet, nil)
	if err == nil {
		var ashore []machines.Orphan
		ashore, err = s.onRecord(func(r machines.Record) bool { return registry.Of(r.Provider).Many })
		all = append(all, ashore...)
	}
	if s.o.Context.Err() != nil {
		return
	}
	if err != nil {
		s.o.Log.Warn("no look for orphans", "error", err)
	}
	for _, u := range unasked {
		s.o.Log.Info("not asked for orphans", "provider", u.Provider, "why", u.Err)
	}
	ours := slices.DeleteFunc(all, func(o machines.Orphan) bool { return o.Machine.Others })
	s.found.set(ours)
	if n := len(unswept(ours)); n > 0 {
		s.o.Log.Warn("machines that no voyage has", "count", n)
		text := fmt.Sprintf("%s that no voyage has may cost you: see and destroy with: ocaptain sweep", countMachines(n))
		if why, err := s.o.Machines.Unmounted(s.o.Hub.Voyages); err == nil && why != "" {
			text = fmt.Sprintf("%s may cost you, and no voyage is seen to have them: %s", countMachines(n), why)
		}
		s.o.Tell(text)
	}
}

// countMachines returns a number of machines in words.
func countMachines(n int) string {
	if n == 1 {
		return "1 machine"
	}
	return fmt.Sprintf("%d machines", n)
}

// onRecord returns the recorded machines that belong to no voyage. It asks no provider.
func (s *Sweeper) onRecord(which func(machines.Record) bool) ([]machines.Orphan, error) {
	voyages, err := s.owners()
	if err != nil {
		return nil, err
	}
	return s.o.Machines.OnRecord(voyages, which)
}

// Known returns the machines that Look has found, and the machines that helm is destroying. It waits until Look has ended.
func (s *Sweeper) Known(ctx context.Context) ([]machines.Orphan, error) {
	select {
	case <-s.found.done:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	unwanted, _ := s.onRecord(func(r machines.Record) bool { return r.Unwanted && !r.Gone }) // Find reports this error
	return append(s.found.unswept(), unwanted...), nil
}

// Find asks providers for machines that belong to no voyage. named are the providers that the captain has named.
func (s *Sweeper) Find(ctx context.Context, which, named []string) (api.Sweep, error) {
	out := api.Sweep{At: time.Now(), Install: s.o.Install, Orphans: []machines.Orphan{}, Others: []machines.Orphan{}, Unasked: []api.Unasked{}}
	all, unasked, err := s.find(ctx, which, named)
	if err != nil {
		return out, err
	}
	for _, o := range all {
		if o.Machine.Others {
			out.Others = append(out.Others, o)
		} else {
			out.Orphans = append(out.Orphans, o)
		}
	}
	for _, a := range unasked {
		out.Unasked = append(out.Unasked, api.Unasked{Provider: a.Provider, Why: clean.Bound(a.Err.Error(), clean.MaxText)})
	}
	if len(out.Orphans) == 0 {
		return out, nil
	}
	out.Unsure, err = s.o.Machines.Unmounted(s.o.Hub.Voyages)
	return out, err
}
