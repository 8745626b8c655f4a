package voyage

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/archive"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/machines"
)

// Helm removes a voyage that is sunk, also while it has the voyage open, and refuses while a machine of the voyage may be there.
func TestRemoveVoyage(t *testing.T) {
	t.Parallel()
	hub := newHub(t)
	h := startHelm(t, hub)
	d := newVoyage(t, hub, fleet.Voyage{Name: "auth"}, "#!/bin/sh\n", task("1", "true"))
	v := openStill(t, h, d)
	refused := func(why string) {
		t.Helper()
		if err := h.RemoveVoyage(t.Context(), "auth"); !errors.Is(err, api.ErrRefused) || !strings.Contains(err.Error(), why) {
			t.Errorf("%s: %v", why, err)
		}
		if _, err := os.Stat(d.Voyage()); err != nil {
			t.Fatal(err)
		}
	}
	refused("not sunk")
	if err := v.sink(context.Background(), func(api.Progress) {}); err != nil {
		t.Fatal(err)
	}
	if err := h.Machines.Put(machines.Record{ID: machines.ID{Provider: "local", Name: "left"}, Voyage: d.ID()}); err != nil {
		t.Fatal(err)
	}
	refused("machine left")
	if err := h.Machines.Destroy(t.Context(), machines.ID{Provider: "local", Name: "left"}, "the test", nil); err != nil {
		t.Fatal(err)
	}
	if err := h.RemoveVoyage(t.Context(), d.ID()); err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(hub.Voyages); err != nil || len(left) > 0 {
		t.Errorf("there is %v, %v", left, err)
	}
	if v, _ := h.opened(d.ID()); v != nil {
		t.Error("helm has it still")
	}
	if err := h.RemoveVoyage(t.Context(), d.ID()); !errors.Is(err, api.ErrNotFound) {
		t.Error(err)
	}
}

// The oldest sunk voyages are archived and removed when there is more than fits; others stay, and what sails.
func TestArchiveExcess(t *testing.T) {
	t.Parallel()
	hub := newHub(t)
	h := startHelm(t, hub)
	all := fleet.Voyages(hub.Voyages)
	var dirs []fleet.Dir
	for range 3 {
		dirs = append(dirs, newVoyage(t, hub, fleet.Voyage{}, "#!/bin/sh\n", task("1", "true")))
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
