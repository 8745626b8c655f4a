package hub

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ocaptain/sync"
)

// TestUnfiltered: Merge refuses a changed file to which .gitattributes of the branch or of the work give a filter.
func TestUnfiltered(t *testing.T) {
	c := enlist(t, Options{})
	at := func(name string) string { return filepath.Join(c.ship.dir, name) }
	put(t, c.ship.dir, ".gitattributes", "*.txt text\nplain/* !filter\n")
	put(t, c.ship.dir, "big.bin", "a pointer")
	put(t, c.ship.dir, "sub/.gitattributes", "*.old filter\n")
	put(t, c.ship.dir, "sub/x.old", "no filter has a name here")
	if err := c.merge(); err != nil {
		t.Fatal(err)
	}
	c.checkout()
	put(t, c.ship.dir, ".gitattributes", "secrets/** filter=crypt\n*.bin filter=lfs\nplain/* -filter\n")
	if err := c.merge(); err != nil { // the rules change, but no file that they name
		t.Fatal(err)
	}
	c.checkout()
	put(t, c.ship.dir, "secrets/key", "password")
	put(t, c.ship.dir, "plain/x.txt", "plain")
	if err := os.Rename(at("big.bin"), at("moved.bin")); err != nil {
		t.Fatal(err)
	}
	if is := c.refused(); !slices.Equal(is, []string{"secrets/key (crypt)"}) {
		t.Errorf("refused are %q", is)
	}
	put(t, c.ship.dir, "new.bin", "raw")
	put(t, c.ship.dir, ".gitattributes", "# gone\n")
	if is := c.refused(); !slices.Equal(is, []string{"new.bin (lfs)", "secrets/key (crypt)"}) {
		t.Errorf("with other rules refused are %q", is)
	}
	_, err := c.h.Merge(t.Context(), c.ship, sync.Merge{Name: "ship-1", Subject: "task", Author: "E <e@e>", Onto: "dispatch/a-1-1", Trailers: [][2]string{{"Task", "1"}}})
	var r *sync.Refused
	if !errors.As(err, &r) || !strings.Contains(r.Why, "filter") {
		t.Errorf("onto a branch of its own: %v", err)
	}
	if err := errors.Join(os.Remove(at("secrets/key")), os.Remove(at("new.bin"))); err != nil {
		t.Fatal(err)
	}
	if err := c.merge(); err != nil {
		t.Errorf("without them: %v", err)
	}
}
