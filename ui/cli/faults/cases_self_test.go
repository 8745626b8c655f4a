package faults

import (
	"slices"
	"testing"
)

// TestCases finds a fault that no table has, one that cannot happen where its case is, and a seed with two cases.
func TestCases(t *testing.T) {
	all := slices.Concat(groups...)
	seeds := map[uint64]bool{}
	for _, c := range cases {
		if seeds[c.seed] {
			t.Errorf("there are two cases of seed %d", c.seed)
		}
		seeds[c.seed] = true
		if _, ok := places[c.place]; !ok {
			t.Errorf("case %d: no place %q", c.seed, c.place)
		}
		for _, name := range c.faults {
			i := slices.IndexFunc(all, func(f fault) bool { return f.name == name })
			if i < 0 || len(all[i].places) > 0 && !slices.Contains(all[i].places, c.place) {
				t.Errorf("case %d: no fault %q at %s", c.seed, name, c.place)
			}
		}
	}
	names := map[string]bool{}
	for _, f := range all {
		if names[f.name] {
			t.Errorf("two faults are named %q", f.name)
		}
		names[f.name] = true
	}
}
