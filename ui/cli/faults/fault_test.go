package faults

import (
	"math/rand/v2"
	"slices"
)

// fault is something that happens to a voyage.
type fault struct {
	name   string
	places []string // where it can happen; everywhere when there are none
	disk   bool     // it needs small disks

	// strike does it, and returns what ends it, or nil when nothing is to be ended. It logs what it did.
	strike func(v *voyage) (heal func())
}

// faults are all that there are.
var faults = slices.Concat(kills, stops, gits, captains, files, disks, commands, links, lies)

// notYet are the faults and checks that today's build does not withstand, with the reason. A fault that is in it is not drawn,
// and a check that is in it is not made. The flag -faults.all ignores it.
var notYet = map[string]string{}

// holds tells whether a fault may strike, or a check be made.
func holds(name string) bool {
	_, not := notYet[name]
	return !not || *every || *only == name
}

// drawn are the faults that can happen to a voyage at a place.
func drawn(rng *rand.Rand, place string, n int) (all []fault) {
	var can []fault
	for _, f := range faults {
		switch {
		case *only != "" && f.name != *only:
		case len(f.places) > 0 && !slices.Contains(f.places, place):
		case holds(f.name):
			can = append(can, f)
		}
	}
	for len(can) > 0 && len(all) < n {
		all = append(all, can[rng.IntN(len(can))])
	}
	return all
}
