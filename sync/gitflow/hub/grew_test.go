package hub

import (
	"crypto/rand"
	"testing"
)

// TestSnapshotBytes checks that Snapshot.Bytes counts a new file once.
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
}
