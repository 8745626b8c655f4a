//go:build long

package voyages

import (
	"os"
	"testing"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/helm/helmtest"
	"ocaptain/tasks/eventually"
)

// TestDamagedVoyages damages some voyages in different ways: the others go on, the damage
// is told, machines can be sunk, and a voyage that was mended is taken up.
func TestDamagedVoyages(t *testing.T) {
	t.Parallel()
	hub := helmtest.Hub(t)
	sound := helmtest.Voyage(t, hub, fleet.Voyage{}, "#!/bin/sh\n", helmtest.Task("1", "echo 1 >one"))
	noWork := helmtest.Voyage(t, hub, fleet.Voyage{}, "#!/bin/sh\n", helmtest.Task("1", "true"))
	alien := helmtest.Voyage(t, hub, fleet.Voyage{}, "#!/bin/sh\n", helmtest.Task("1", "true"))
	damaged := helmtest.Voyage(t, hub, fleet.Voyage{}, "#!/bin/sh\n", helmtest.Task("1", "sleep 600"))
	first := newSet(t, hub)
	for _, d := range []fleet.Dir{sound, damaged} {
		sail(t, first, d)
	}
	first.Close()
	if err := os.Rename(noWork.Workspace(), noWork.Workspace()+"-away"); err != nil {
		t.Fatal(err)
	}
	if err := (&fleet.Fleet{Phase: fleet.Sailing, Ships: []*fleet.Ship{{Name: "ship-0", Provider: "moon", Phase: fleet.Afloat}}}).Save(alien); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{damaged.Voyage(), damaged.FleetFile(), damaged.Events(), damaged.BoardFile()} {
		if err := os.WriteFile(file, []byte("{"), 0o644); err != nil {
			t.Fatal(err)
		}
	}

	h := newSet(t, hub)
	sinkAfter(t, h, sound)
	h.takeUp()
	open, broken := h.Names()
	if len(broken) != 3 || len(open) != 1 || open[0] != sound.ID() {
		t.Errorf("helm has %v, and not %v", open, broken)
	}
	eventually.Holds(t, "the sound one is complete", func() bool { return openIt(t, h, sound).Roster.Now().Phase == fleet.Complete })
	if err := h.sinkDamaged(damaged, func(api.Progress) {}); err != nil {
		t.Fatal(err)
	}
	if left, err := h.Providers["local"].List(t.Context(), h.Labels(damaged)); err != nil || len(left) > 0 {
		t.Errorf("machines left: %v, %v", left, err)
	}
	if f, err := fleet.LoadFleet(damaged); err != nil || f.Phase != fleet.Sunk {
		t.Errorf("the damaged is %s, %v", f.Phase, err)
	}
	if _, err := h.open(noWork); err == nil {
		t.Error("a voyage without its workspace was opened")
	}
	if err := os.Rename(noWork.Workspace()+"-away", noWork.Workspace()); err != nil {
		t.Fatal(err)
	}
	openIt(t, h, noWork)
}
