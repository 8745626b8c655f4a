package faults

import (
	"math/rand/v2"
	"path"
	"slices"

	"ocaptain/ui/cli/faults/reader"
)

// fault is something that happens to a voyage.
type fault struct {
	name   string
	places []string       // where the fault can happen, nil for everywhere
	disk   bool           // the fault needs small disks
	early  bool           // the fault happens before the voyage sails
	hides  []reader.Claim // what status cannot know until the fault has ended

	// strike makes the fault happen, and logs what it did.
	strike func(v *voyage) hit
}

// hit is the result of a strike.
type hit struct {
	happened func() bool // called at the end of the voyage: some faults happen later than they are arranged
	heal     func()      // ends the fault; nil when there is nothing to end
}

// did returns the hit of a fault that happened at once, or not at all.
func did(happened bool) hit { return hit{happened: func() bool { return happened }} }

// until returns the hit with a heal function that ends it or follows it.
func (h hit) until(heal func()) hit {
	h.heal = heal
	return h
}

// groups holds all faults by kind. A voyage first draws a kind: some kinds have many faults, and none should be rare.
var groups = [][]fault{kills, stops, clocks, gits, captains, acts, files, disks, commands, links, lies, hostiles, agents, sails}

// wanted reports whether the flag -faults.only allows a fault of this name.
func wanted(name string) bool {
	matches, _ := path.Match(*only, name)
	return matches || *only == name || *only == ""
}

// blow is a fault that strikes a voyage, with a random source of its own, so that what one blow draws does not affect
// the others.
type blow struct {
	fault
	rng *rand.Rand
}

// blows returns the faults that strike the voyage of a seed: the faults that its case names, or else a draw from the faults that
// can happen at its place.
func blows(seed uint64, place string, n int) (all []blow) {
	var can [][]fault
	for _, group := range groups {
		here := slices.DeleteFunc(slices.Clone(group), func(f fault) bool {
			return len(f.places) > 0 && !slices.Contains(f.places, place) || !wanted(f.name)
		})
		if len(here) > 0 {
			can = append(can, here)
		}
	}
	known := caseOf(seed).faults
	for i := range max(n, len(known)) {
		b := blow{rng: rand.New(rand.NewPCG(seed, uint64(i+1)))}
		switch {
		case len(known) > i:
			here := slices.Concat(can...)
			j := slices.IndexFunc(here, func(f fault) bool { return f.name == known[i] })
			if j < 0 {
				continue // the flag does not ask for it
			}
			b.fault = here[j]
		case len(known) > 0 || len(can) == 0:
			return all
		default:
			group := can[b.rng.IntN(len(can))]
			b.fault = group[b.rng.IntN(len(group))]
		}
		all = append(all, b)
	}
	return all
}
