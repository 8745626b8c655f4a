package gitflow

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestMidWrite has a program of the captain's write a file slowly while work comes home: half of it is never committed,
// what rests is, and the rest follows when it is written.
func TestMidWrite(t *testing.T) {
	c := enlist(t, Options{})
	put(t, c.dir, "rests.txt", "captain's\n")
	for _, path := range []string{"slow.txt", "a.txt"} { // a new one, and one that is known
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
	for commit := range strings.FieldsSeq(gitOutput(t, c.dir, "rev-list", "voyage")) {
		for _, path := range []string{"slow.txt", "a.txt"} {
			if text, err := tryGit(c.dir, "show", commit+":"+path); err == nil && strings.Contains(text, "first") && !strings.Contains(text, "second") {
				t.Fatalf("%s of %s is half written", path, commit)
			}
		}
	}
}
