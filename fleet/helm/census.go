package helm

import (
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	gosync "sync"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/provider"
	"ocaptain/fleet/provider/sprites"
)

// counting bounds the question to one provider how many machines there are.
const counting = 10 * time.Second

// Tally is how many machines of this install there are at one provider.
type Tally struct {
	Provider string `json:"provider"`
	// Machines is how many the provider lists. When Why is not empty that is not known.
	Machines int `json:"machines"`
	// Recorded is how many the voyages have on record.
	Recorded int `json:"recorded"`
	// Why says why the provider could not be asked, or not for all of them.
	Why string `json:"why,omitempty"`
}

// Recorded counts the machines that the voyages have on record, by provider. Nobody is asked.
func Recorded(h fleet.Hub) []Tally {
	dirs, _ := fleet.Voyages(h.Voyages).List() // what cannot be read has no machine on record
	counts := map[string]int{}
	for _, d := range dirs {
		f, err := fleet.LoadFleet(d)
		if err != nil {
			continue
		}
		for _, s := range f.Ships {
			if s.Out() {
				counts[s.Provider]++
			}
		}
	}
	var all []Tally
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		all = append(all, Tally{Provider: name, Recorded: counts[name], Why: "not asked"})
	}
	return all
}

// Census asks every provider that this install may have machines at how many there are, all at
// the same time and each for ten seconds at most. It returns those with machines, by name, and
// those that could not be asked. Helm is not needed.
func Census(ctx context.Context, h fleet.Hub, places Places) []Tally {
	recorded := Recorded(h)
	if _, err := os.Stat(filepath.Join(h.State, "install")); err != nil {
		return recorded // nothing was ever made from here
	}
	install, err := Install(h)
	if err != nil {
		return because(recorded, err)
	}
	tallies := map[string]*Tally{}
	for _, t := range recorded {
		t.Why = "" // it is asked now
		tallies[t.Provider] = &t
	}
	providers, end, err := countable(h, places, install, tallies)
	if err != nil {
		return because(recorded, err)
	}
	defer end()
	var mu gosync.Mutex
	var all gosync.WaitGroup
	for name, p := range providers {
		all.Go(func() {
			ctx, cancel := context.WithTimeout(ctx, counting)
			defer cancel()
			machines, err := p.List(ctx, map[string]string{"ocaptain": install})
			mu.Lock()
			defer mu.Unlock()
			t := tallies[name]
			if t == nil {
				t = &Tally{Provider: name}
				tallies[name] = t
			}
			t.count(machines, err)
		})
	}
	all.Wait()
	var found []Tally
	for _, name := range slices.Sorted(maps.Keys(tallies)) {
		if t := tallies[name]; t.Machines > 0 || t.Recorded > 0 || t.Why != "" {
			found = append(found, *t)
		}
	}
	return found
}

// count takes a provider's answer. A machine of which its provider knows nothing itself is no
// answer: it is on record alone.
func (t *Tally) count(machines []provider.Machine, err error) {
	if errors.Is(err, sprites.ErrNoToken) && t.Recorded == 0 {
		return // nobody ever made one there
	}
	if err != nil {
		t.Why = clean(err.Error(), 300)
		return
	}
	t.Machines = len(machines)
	for _, m := range machines {
		if m.State == provider.Unknown && m.Note != "" {
			t.Why = clean(m.Note, 300)
		}
	}
}

func because(all []Tally, err error) []Tally {
	for i := range all {
		all[i].Why = clean(err.Error(), 300)
	}
	return all
}

// countable makes the providers that there may be machines at. Hosts are asked only when a
// voyage has ships there, as asking means to log in to each of them.
func countable(h fleet.Hub, places Places, install string, recorded map[string]*Tally) (_ map[string]provider.Provider, end func(), err error) {
	exe, err := os.Executable()
	if err != nil {
		return nil, nil, err
	}
	here, err := Local(h, exe)
	if err != nil {
		return nil, nil, err
	}
	far := Sprites(h, nil, install)
	lobby, err := Exedev(h, install, "")
	if err != nil {
		return nil, nil, err
	}
	all := map[string]provider.Provider{here.Name(): here, far.Name(): far, lobby.Name(): lobby}
	if recorded["hosts"] != nil {
		own, err := OwnBinary(h)
		if err != nil {
			return nil, nil, err
		}
		ashore, err := Hosts(h, places.Hosts, ProgramsOf(h, own))
		if err != nil {
			return nil, nil, err
		}
		all[ashore.Name()] = ashore
	}
	return all, func() { far.Close(); lobby.Close() }, nil
}
