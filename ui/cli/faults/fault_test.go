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
	places []string       // where it can happen; everywhere when there are none
	disk   bool           // it needs small disks
	early  bool           // it happens before the voyage sails
	hides  []reader.Claim // what status cannot know before it is healed

	// strike does it, and logs what it did.
	strike func(v *voyage) hit
}

// hit is what came of a strike.
type hit struct {
	happened func() bool // asked at the end of the voyage: some things happen later than they are arranged
	heal     func()      // ends it; nil when nothing is to be ended
}

// did is what happened at once, or not at all.
func did(happened bool) hit { return hit{happened: func() bool { return happened }} }

// until is a hit that is ended by something, or followed by it.
func (h hit) until(heal func()) hit {
	h.heal = heal
	return h
}

// groups are all faults by kind. A kind is drawn first: some have many faults, and none is rare.
var groups = [][]fault{kills, stops, clocks, gits, captains, acts, files, disks, commands, links, lies, hostiles, agents, sails}

// wanted tells whether a name is one of those that the flag -faults.only asks for.
func wanted(name string) bool {
	matches, _ := path.Match(*only, name)
	return matches || *only == name || *only == ""
}

// blow is a fault that strikes a voyage, with chances of its own: what one draws changes nothing for the others.
type blow struct {
	fault
	rng *rand.Rand
}

// blows are what strikes the voyage of a seed: what its case names, or what is drawn of what can happen at its place.
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
				continue // it is not asked for
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
