package filters

import (
	"os"
	"slices"
	"testing"

	"ocaptain/sync/synctest"
)

func TestMain(m *testing.M) { os.Exit(synctest.AsCaptain(m)) }

func TestFindLacks(t *testing.T) {
	dir := synctest.Begin(t)
	lacks := func() Lacks {
		l, err := FindLacks(t.Context(), dir, synctest.Git(t, dir, "rev-parse", "HEAD"))
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	if l := lacks(); len(l.Submodules)+len(l.Filters) > 0 {
		t.Errorf("of a plain repository: %+v", l)
	}
	synctest.Git(t, dir, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", synctest.Begin(t), "lib/sub")
	synctest.Put(t, dir, "a/.gitattributes", "*.bin filter=lfs -text\n*.txt filter !diff\n")
	synctest.Put(t, dir, ".gitattributes", "secrets/** filter=crypt diff=crypt\n*.png\tfilter=lfs\n")
	synctest.Git(t, dir, "add", "-A")
	synctest.Git(t, dir, "commit", "-q", "-m", "filters")
	if l := lacks(); !slices.Equal(l.Submodules, []string{"lib/sub"}) || !slices.Equal(l.Filters, []string{"crypt", "lfs"}) {
		t.Errorf("%+v", l)
	}
}
