package helm

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/helm/supervise"
	"ocaptain/fleet/machines"
	"ocaptain/fleet/provider"
)

// counting bounds the question to one provider how many machines there are.
const counting = 10 * time.Second

// Tally is how many machines of this install there are at one provider.
type Tally struct {
	Provider string `json:"provider"`
	// Machines is how many the provider lists. When Why is not empty that is not known.
	Machines int `json:"machines"`
	// Recorded is how many were asked for and are not proven to be gone.
	Recorded int `json:"recorded"`
	// Unlisted is how many of those the provider does not list.
	Unlisted int `json:"unlisted,omitempty"`
	// Why says why the provider could not be asked, or not for all of them.
	Why string `json:"why,omitempty"`
}

// Recorded counts the machines on record, by provider. Nobody is asked.
func Recorded(h fleet.Hub) []Tally {
	records, _ := Machines(h).All() // who asks the providers is told
	counts := map[string]int{}
	for _, r := range records {
		if !r.Gone {
			counts[r.Provider]++
		}
	}
	var all []Tally
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		all = append(all, Tally{Provider: name, Recorded: counts[name], Why: "not asked"})
	}
	return all
}

// Census is what is known of the machines of this install without the help of helm.
type Census struct {
	Tallies []Tally
	// Orphans are the machines that no voyage has.
	Orphans []api.Orphan
}

// Count asks every provider that this install may have machines at which there are, all at
// the same time and each for ten seconds at most. Helm is not needed.
func Count(ctx context.Context, h fleet.Hub, places Places) Census {
	if _, err := os.Stat(filepath.Join(h.State, "install")); err != nil {
		return Census{Tallies: Recorded(h)} // nothing was ever made from here
	}
	c, err := count(ctx, h, places)
	if err == nil {
		return c
	}
	c = Census{Tallies: Recorded(h)}
	for i := range c.Tallies {
		c.Tallies[i].Why = clean(err.Error(), 300)
	}
	return c
}

func count(ctx context.Context, h fleet.Hub, places Places) (Census, error) {
	k, end, err := keeperOf(h, places)
	if err != nil {
		return Census{}, err
	}
	defer end()
	all, answers, err := k.Look(ctx, countable(h, k), fleet.MachinePrefix, counting)
	if err != nil {
		return Census{}, err
	}
	own, err := ownedOnDisk(h)
	return counted(all, answers, own), err
}

// counted sums up the two lists.
func counted(all []machines.Machine, answers []machines.Answer, own owned) Census {
	var c Census
	tallies := map[string]*Tally{}
	at := func(name string) *Tally {
		if tallies[name] == nil {
			tallies[name] = &Tally{Provider: name}
		}
		return tallies[name]
	}
	for _, m := range all {
		if m.Others {
			continue
		}
		t := at(m.Provider)
		if m.Record != nil && !m.Record.Gone {
			t.Recorded++
		}
		if m.Listed != nil {
			t.Machines++
		} else if m.Absent != "" && !m.Record.Gone {
			t.Unlisted++
		}
		if m.Listed != nil && m.Listed.State == provider.Unknown && m.Listed.Note != "" {
			t.Why = clean(m.Listed.Note, 300) // its provider knows no more of it than we do
		}
		if !own.has(m.ID, m.Voyage()) {
			c.Orphans = append(c.Orphans, judge(m, own, "").Orphan)
		}
	}
	for _, a := range answers {
		if t := tallies[a.Provider]; a.Err != nil && t != nil { // else none of ours is known to be there
			t.Why = clean(a.Err.Error(), 300)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(tallies)) {
		if t := tallies[name]; t.Machines > 0 || t.Recorded > 0 || t.Why != "" {
			c.Tallies = append(c.Tallies, *t)
		}
	}
	return c
}

// countable are the providers that there may be machines at. Hosts are asked only when ships were asked for there,
// as asking means to log in to each of them.
func countable(h fleet.Hub, k *machines.Keeper) []string {
	records, _ := k.All()
	return slices.DeleteFunc(configured(h, k), func(name string) bool {
		return name == "hosts" && !slices.ContainsFunc(records, func(r machines.Record) bool { return r.Provider == name })
	})
}

// keeperOf makes all providers, to look at their machines.
func keeperOf(h fleet.Hub, places Places) (_ *machines.Keeper, end func(), err error) {
	own, err := supervise.OwnBinary(h)
	if err != nil {
		return nil, nil, err
	}
	install, err := Install(h)
	if err != nil {
		return nil, nil, err
	}
	all, err := places.providers(h, own, ProgramsOf(h, own))
	if err != nil {
		return nil, nil, err
	}
	far := Sprites(h, nil, install)
	lobby, err := Exedev(h, install, "")
	if err != nil {
		return nil, nil, err
	}
	k := machines.New(machines.Options{Records: Machines(h), Install: install})
	for _, p := range all {
		k.Use(p)
	}
	k.Use(far)
	k.Use(lobby)
	return k, func() { k.Close(); far.Close() }, nil
}
