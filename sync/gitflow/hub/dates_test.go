package hub

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestOldDates: the next snapshot has a file whose content changed while its size and date stayed the same, also when
// a refresh of the index corrects the dates of other files.
func TestOldDates(t *testing.T) {
	c := enlist(t, Options{})
	old := time.Now().Add(-time.Hour).Truncate(time.Second)
	write := func(name, text string) {
		t.Helper()
		put(t, c.ship.dir, name, text)
		if err := os.Chtimes(filepath.Join(c.ship.dir, name), old, old); err != nil {
			t.Fatal(err)
		}
	}
	write("a.txt", "1")
	write("b.txt", "1")
	copied := func(want string) {
		t.Helper()
		snap, err := c.h.Snapshot(t.Context(), c.ship, "ship-1")
		if err != nil {
			t.Fatal(err)
		}
		for name, text := range map[string]string{"a.txt": "1", "b.txt": want} {
			if got := gitOutput(t, c.dir, "show", snap.Commit+":"+name); got != text {
				t.Errorf("%s is %q in the copy, want %q", name, got, text)
			}
		}
	}
	copied("1")
	for _, text := range []string{"2", "3", "4"} {
		write("b.txt", text)
		if text != "3" {
			write("a.txt", "1") // same content again, only its date is new
		}
		copied(text)
	}
}
