package gitflow

import (
	"crypto/rand"
	"path/filepath"
	"testing"
)

// TestSnapshotBytes says by how much the hub's repository grew, and packing drops what no ref has any more.
func TestSnapshotBytes(t *testing.T) {
	c := enlist(t, Options{})
	c.checkout()
	noise := make([]byte, 1<<20)
	if _, err := rand.Read(noise); err != nil {
		t.Fatal(err)
	}
	put(t, c.ship.dir, "noise", string(noise))
	for i, want := range []bool{true, false} {
		s, err := c.h.Snapshot(t.Context(), c.ship, "ship-1")
		if err != nil {
			t.Fatal(err)
		}
		if grew := s.Bytes >= 1<<20; grew != want {
			t.Errorf("snapshot %d: %d bytes", i, s.Bytes)
		}
	}
	// What a ship sends makes the upkeep come sooner.
	c.h.count(upkeepSize)
	c.h.upkeep.Wait()
	if packs, _ := filepath.Glob(filepath.Join(c.dir, ".git/objects/pack/*.pack")); len(packs) == 0 {
		t.Error("nothing was packed")
	}
	if c.h.grown != 0 {
		t.Errorf("%d bytes are still counted", c.h.grown)
	}
}
