package helm

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/archive"
)

// When sunk voyages exceed the limit, the oldest are archived and removed. Other sunk voyages stay, and so do voyages
// under way.
func TestArchiveExcess(t *testing.T) {
	t.Parallel()
	h := newHelm(t)
	all := fleet.Voyages(h.hub.Voyages)
	var dirs []fleet.Dir
	for range 3 {
		id := fleet.NewID()
		d := fleet.Dir(filepath.Join(string(all), id))
		if err := os.MkdirAll(string(d), 0o700); err != nil {
			t.Fatal(err)
		}
		v := fleet.Voyage{ID: id}
		if err := v.Save(d); err != nil {
			t.Fatal(err)
		}
		dirs = append(dirs, d)
	}
	sails := dirs[2]
	for _, d := range dirs[:2] {
		f := fleet.Fleet{Phase: fleet.Sunk}
		if err := f.Save(d); err != nil {
			t.Fatal(err)
		}
	}
	tomorrow := time.Now().Add(25 * time.Hour)
	h.archiveExcess(1<<40, tomorrow)
	h.archiveExcess(1, time.Now())
	if left, err := all.List(); err != nil || len(left) != 3 {
		t.Fatalf("left are %v, %v", left, err)
	}
	h.archiveExcess(1, tomorrow)
	if left, err := all.List(); err != nil || len(left) != 1 || left[0] != sails {
		t.Errorf("left are %v, %v", left, err)
	}
	if kept := archive.List(all); len(kept) != 2 {
		t.Errorf("archives are %+v", kept)
	}
}
