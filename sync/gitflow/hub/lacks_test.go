package hub

import (
	"path/filepath"
	"slices"
	"testing"

	"ocaptain/sync/gitflow/filters"
	"ocaptain/sync/gitflow/origin"
)

func TestFindLacks(t *testing.T) {
	super := newSource(t)
	dir := filepath.Join(t.TempDir(), "workspace")
	start, err := origin.Prepare(t.Context(), dir, super, "voyage", origin.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if l, err := filters.FindLacks(t.Context(), dir, start); err != nil || len(l.Submodules)+len(l.Filters) > 0 {
		t.Errorf("of a plain repository: %+v, %v", l, err)
	}
	gitOutput(t, super, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", newSource(t), "lib/sub")
	put(t, super, "a/.gitattributes", "*.bin filter=lfs -text\n*.txt filter !diff\n")
	put(t, super, ".gitattributes", "secrets/** filter=crypt diff=crypt\n*.png\tfilter=lfs\n")
	gitOutput(t, super, "add", "-A")
	gitOutput(t, super, "commit", "-q", "-m", "filters")
	again := filepath.Join(t.TempDir(), "workspace")
	if start, err = origin.Prepare(t.Context(), again, super, "voyage", origin.Options{}); err != nil {
		t.Fatal(err)
	}
	l, err := filters.FindLacks(t.Context(), again, start)
	if err != nil || !slices.Equal(l.Submodules, []string{"lib/sub"}) || !slices.Equal(l.Filters, []string{"crypt", "lfs"}) {
		t.Errorf("%+v, %v", l, err)
	}
}
