package hub

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ocaptain/sync/synctest"
)

// TestMidWrite has a program of the captain's write files slowly while ships merge: the hub never commits a
// half-written file, commits the files that are not being written, and commits the slow ones once they are complete.
func TestMidWrite(t *testing.T) {
	c := enlist(t, Options{})
	put(t, c.dir, "rests.txt", "captain's\n")
	for _, path := range []string{"slow.txt", "a.txt"} { // an untracked and a tracked file
		f, err := os.Create(filepath.Join(c.dir, path))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.WriteString("first half\n"); err != nil {
			t.Fatal(err)
		}
		put(t, c.ship.dir, "of-"+path, "ship's\n")
		if err := c.merge(); err != nil {
			t.Fatal(err)
		}
		c.checkout()
		content(t, c.dir, "of-"+path, "ship's\n")
		content(t, c.ship.dir, "rests.txt", "captain's\n")
		if _, err := f.WriteString("second half\n"); err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		c.checkout()
		content(t, c.ship.dir, path, "first half\nsecond half\n")
	}
	neverHalf(t, c, "slow.txt", "a.txt")
}

// neverHalf checks that no commit has the first half of a file without the second.
func neverHalf(t *testing.T, c *crew, names ...string) {
	t.Helper()
	for commit := range strings.FieldsSeq(gitOutput(t, c.dir, "rev-list", "voyage")) {
		for _, name := range names {
			if text, err := tryGit(c.dir, "show", commit+":"+name); err == nil && strings.Contains(text, "first") && !strings.Contains(text, "second") {
				t.Fatalf("%s of %s is half written", name, commit)
			}
		}
	}
}

// TestWriteBegins has a program begin to write files after the hub has found which files rest and before it stages
// them: an untracked file, a tracked file, and a file that was found to rest.
func TestWriteBegins(t *testing.T) {
	late := []string{"new.txt", "a.txt", "rested.txt"}
	armed := filepath.Join(t.TempDir(), "armed")
	synctest.WrapGit(t, `
if [ "$1" = status ] && [ -e `+armed+` ] && [ -e "$GIT_DIR/index.lock" ]; then
	rm `+armed+`
	for name in `+strings.Join(late, " ")+`; do echo "first half" >"$GIT_DIR/../$name"; done
fi
exec $real "$@"
`)
	c := enlist(t, Options{})
	put(t, c.dir, "rested.txt", "captain's\n")
	put(t, c.dir, "rests.txt", "captain's\n")
	put(t, c.ship.dir, "b.txt", "ship's\n")
	if err := os.WriteFile(armed, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := c.merge(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(armed); err == nil {
		t.Fatal("nobody wrote")
	}
	for _, name := range late {
		content(t, c.dir, name, "first half\n")
		put(t, c.dir, name, "first half\nsecond half\n")
	}
	content(t, c.dir, "b.txt", "ship's\n")
	c.checkout()
	content(t, c.ship.dir, "rests.txt", "captain's\n")
	for _, name := range late {
		content(t, c.ship.dir, name, "first half\nsecond half\n")
	}
	neverHalf(t, c, late...)
}
