package faults

import (
	"math/rand/v2"
	"path"
	"slices"
)

// fault is something that happens to a voyage.
type fault struct {
	name   string
	places []string // where it can happen; everywhere when there are none
	disk   bool     // it needs small disks
	early  bool     // it happens before the voyage sails

	// strike does it, and returns what ends it, or nil when nothing is to be ended. It logs what it did.
	strike func(v *voyage) (heal func())
}

// faults are all that there are.
var faults = slices.Concat(kills, stops, gits, captains, files, disks, commands, links, lies, sails)

// notYet are the faults and checks that today's build does not withstand, with the reason. A fault that is in it is not drawn,
// and a check that is in it is not made. The flag -faults.all ignores it.
var notYet = func() map[string]string {
	all := map[string]string{
		"kill a git of the hub":                    "a git killed while it brings files erases work; locks under refs/ocaptain stay",
		"kill a git of the hub, and helm":          "merged work is committed as the captain's; tasks have no commit",
		"captain writes slowly":                    "a file in mid-write is committed half",
		"lock of a killed git in workspace":        "tasks fail five times, and wait",
		"lock of a killed git under refs/ocaptain": "tasks fail five times, and wait",
		"captain resolves a merge by hand":         "a task's file was committed in the captain's name",
		"captain collects garbage":                 "objects of refs/ocaptain are gone afterwards",
		"exe.dev: made two seconds later":          "a machine that was made after all is forgotten",
		"exe.dev: made, and status 500":            "a machine that was made after all is forgotten",
		conflicting:                                "a tree that was marked is merged as it is, when helm or the way to it dies just then",
		lateWork:                                   "a ship that holds no task is not copied home",
		deadHelm:                                   "status --json neither starts helm nor says that it is dead",
	}
	for _, file := range []string{"events.jsonl", "fleet.json", "voyage.json", "snapshot.json"} {
		for how := range damages {
			for _, when := range []string{"", " while helm is down"} {
				all[file+" "+how+when] = "truth that is damaged is not said and not rebuilt"
			}
		}
	}
	return all
}()

// holds tells whether a fault may strike, or a check be made.
func holds(name string) bool {
	_, not := notYet[name]
	return !not || *every || *only != "" && wanted(name)
}

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
	var can []fault
	for _, f := range faults {
		here := len(f.places) == 0 || slices.Contains(f.places, place)
		if here && holds(f.name) && wanted(f.name) {
			can = append(can, f)
		}
	}
	known := caseOf(seed).faults
	for i := range max(n, len(known)) {
		b := blow{rng: rand.New(rand.NewPCG(seed, uint64(i+1)))}
		switch {
		case len(known) > i:
			j := slices.IndexFunc(can, func(f fault) bool { return f.name == known[i] })
			if j < 0 {
				continue // it is not held yet
			}
			b.fault = can[j]
		case len(known) > 0 || len(can) == 0:
			return all
		default:
			b.fault = can[b.rng.IntN(len(can))]
		}
		all = append(all, b)
	}
	return all
}
