package gitflow

import (
	"path/filepath"
	"slices"
	"testing"
)

func TestFindLacks(t *testing.T) {
	super := origin(t)
	dir := filepath.Join(t.TempDir(), "workspace")
	start, err := Prepare(t.Context(), dir, super, "voyage", PrepareOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if l, err := FindLacks(t.Context(), dir, start); err != nil || len(l.Submodules)+len(l.Filters) > 0 {
		t.Errorf("of a plain repository: %+v, %v", l, err)
	}
	gitOutput(t, super, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", origin(t), "lib/sub")
	put(t, super, "a/.gitattributes", "*.bin filter=lfs -text\n*.txt filter !diff\n")
	put(t, super, ".gitattributes", "secrets/** filter=crypt diff=crypt\n*.png\tfilter=lfs\n")
	gitOutput(t, super, "add", "-A")
	gitOutput(t, super, "commit", "-q", "-m", "filters")
	again := filepath.Join(t.TempDir(), "workspace")
	if start, err = Prepare(t.Context(), again, super, "voyage", PrepareOptions{}); err != nil {
		t.Fatal(err)
	}
	l, err := FindLacks(t.Context(), again, start)
	if err != nil || !slices.Equal(l.Submodules, []string{"lib/sub"}) || !slices.Equal(l.Filters, []string{"crypt", "lfs"}) {
		t.Errorf("%+v, %v", l, err)
	}
}
