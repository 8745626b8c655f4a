package fleet

import (
	"testing"

	"ocaptain/sync"
)

func TestUnmerged(t *testing.T) {
	x, y := sync.Side{Branch: "x", Commits: 2}, sync.Side{Branch: "y", Commits: 1}
	for want, u := range map[string]Unmerged{
		" are":                                  {},
		"1 file is":                             {Changed: 1},
		"2 files are":                           {Changed: 2},
		"1 commit on branch y is":               {Sides: []sync.Side{y}},
		"1 stash is":                            {Stashed: 1},
		"2 commits on branch x and 1 stash are": {Sides: []sync.Side{x}, Stashed: 1},
		"1 file, 3 commits on 2 branches (x, …) and 2 stashes are": {Changed: 1, Sides: []sync.Side{x, y}, Stashed: 2},
	} {
		if got := u.ListText() + " " + u.Verb(); got != want || u.IsNone() != (want == " are") {
			t.Errorf("got %q, none: %t, want %q", got, u.IsNone(), want)
		}
	}
}
