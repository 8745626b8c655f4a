package git

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// TestMergeApart: mergeApart merges as git does, and leaves to git what needs a decision or may be a rename.
func TestMergeApart(t *testing.T) {
	base := map[string]string{"a": "1", "b": "1", "d/x": "1", "d/y": "1", "d/e/z": "1", "l": "->a"}
	for name, c := range map[string]struct {
		ours, theirs map[string]string
		apart        bool
	}{
		"other files":            {map[string]string{"a": "2"}, map[string]string{"b": "2"}, true},
		"new files":              {map[string]string{"n": "2"}, map[string]string{"m": "2"}, true},
		"one directory":          {map[string]string{"d/x": "2"}, map[string]string{"d/y": "2", "d/e/n": "2"}, true},
		"a new directory":        {map[string]string{"n/x": "2"}, map[string]string{"n/y": "2"}, true},
		"mode, link":             {map[string]string{"a": "#!"}, map[string]string{"l": "->b"}, true},
		"names around a slash":   {map[string]string{"d-": "2", "d0": "2"}, map[string]string{"d.": "2", "d/x": "2"}, true},
		"the same change":        {map[string]string{"a": "2", "b": "3"}, map[string]string{"a": "2", "d/x": "3"}, true},
		"one file":               {map[string]string{"a": "2"}, map[string]string{"a": "3"}, false},
		"one new file":           {map[string]string{"n": "2"}, map[string]string{"n": "3"}, false},
		"a removed file":         {map[string]string{"a": "-"}, map[string]string{"b": "2"}, false},
		"they remove a file":     {map[string]string{"b": "2"}, map[string]string{"d/e/z": "-"}, false},
		"both remove it":         {map[string]string{"a": "-", "n": "2"}, map[string]string{"a": "-"}, false},
		"a renamed file":         {map[string]string{"d/x": "-", "d/n": "1"}, map[string]string{"d/x": "2"}, false},
		"a renamed directory":    {map[string]string{"d": "-", "n/x": "1", "n/y": "1"}, map[string]string{"d/new": "2"}, false},
		"a file in place of one": {map[string]string{"n": "2"}, map[string]string{"n/x": "2"}, false},
		"a directory in place":   {map[string]string{"a": "-", "a/x": "2"}, map[string]string{"b": "2"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			for _, format := range []string{"sha1", "sha256"} {
				if apart := mergesApart(t, format, base, c.ours, c.theirs); apart != c.apart {
					t.Errorf("%s: %t", format, apart)
				}
			}
		})
	}
	random := rand.New(rand.NewPCG(1, 2))
	edits := func() map[string]string {
		all := map[string]string{}
		for range 1 + random.IntN(3) {
			name := []string{"a", "b", "d/x", "d/y", "d/e/z", "d/n", "n", "n/o", "d/e/p", "d-"}[random.IntN(10)]
			all[name] = []string{"2", "3", "#!", "->a", "-"}[random.IntN(5)]
		}
		if all["n"] != "" {
			delete(all, "n/o")
		}
		return all
	}
	for range 25 {
		mergesApart(t, "sha1", base, edits(), edits())
	}
}

// mergesApart reports whether mergeApart merges the sides. If it does, git must merge them to the same tree.
func mergesApart(t *testing.T, format string, base, ours, theirs map[string]string) bool {
	t.Helper()
	r := repository(t, format, base)
	ids := []string{run(t, r, "rev-parse", "HEAD")}
	for n, side := range []map[string]string{ours, theirs} {
		run(t, r, "checkout", "-q", "-f", "-B", fmt.Sprint("side", n), ids[0])
		commit(t, r, side)
		ids = append(ids, run(t, r, "rev-parse", "HEAD"))
	}
	trees, err := r.Resolve(t.Context(), ids[0]+"^{tree}", ids[1]+"^{tree}", ids[2]+"^{tree}")
	if err != nil {
		t.Fatal(err)
	}
	merged, err := mergeApart(t.Context(), r, trees[0], trees[1], trees[2])
	if err != nil {
		return false
	}
	if says, err := r.MergeTree(t.Context(), Sides{ids[1], ids[2]}); err != nil || len(says.Clashes) > 0 || says.Tree != merged {
		t.Errorf("%v and %v: git merges them to %+v, not %s: %v", ours, theirs, says, run(t, r, "ls-tree", "-r", merged), err)
	}
	run(t, r, "fsck", "--strict", merged)
	return true
}
