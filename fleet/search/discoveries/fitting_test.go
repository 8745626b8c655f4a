package discoveries

import (
	"fmt"
	"strings"
	"testing"
)

func TestFitting(t *testing.T) {
	r := newRepo(t)
	files := map[string]string{
		"a": lines(0, 10), "b": lines(0, 10),
		root + "walrus.md":  note("gotcha", "Walruses sleep on ice.\n\n# When\n\nWalruses sleep in winter.", "b"),
		root + "stale.md":   note("gotcha", "The walrus, the walrus, the walrus: a walrus sleeps.", "a"),
		root + "seal.md":    note("pattern", "A seal sleeps, too."),
		root + "nothing.md": note("pattern", "Zebras run."),
	}
	for i := range 2 * atOnce { // these fit best, but are stale
		files[fmt.Sprint(root, "stale-", i, ".md")] = note("decision", fmt.Sprintf("Walrus walrus walrus sleep %d%d%d.", i, i, i), "a")
	}
	r.commit(files)
	commit := r.commit(map[string]string{"a": ""})
	for most, want := range map[int]string{5: "walrus.md seal.md", 1: "walrus.md"} {
		found, err := Fitting(t.Context(), r.Dir, commit, "where do walruses sleep", most)
		var names []string
		for _, d := range found {
			names = append(names, strings.TrimPrefix(d.File, root))
		}
		if got := strings.Join(names, " "); err != nil || got != want {
			t.Errorf("at most %d: %s, %v", most, got, err)
		}
	}
	if found, err := Fitting(t.Context(), r.Dir, commit, "xylophone", 5); err != nil || found != nil {
		t.Errorf("%+v, %v", found, err)
	}
}
