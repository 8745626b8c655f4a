package faults

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestCases finds cases that name a fault which no table has, a fault that cannot happen at their place, a seed of another case, or a
// direct test that no longer exists.
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
		if !isTest(t, c.direct) {
			t.Errorf("case %d: no test %q", c.seed, c.direct)
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

// isTest reports whether the test with that folder and name exists, or no test is named.
func isTest(t *testing.T, named string) bool {
	folder, name, _ := strings.Cut(named, " ")
	files, err := filepath.Glob(filepath.Join("../../..", folder, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	return name == "" || slices.ContainsFunc(files, func(file string) bool {
		raw, err := os.ReadFile(file)
		return err == nil && strings.Contains(string(raw), "\nfunc "+name+"(t ")
	})
}
