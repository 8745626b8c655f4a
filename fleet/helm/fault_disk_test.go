package helm

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"ocaptain/fleet"
	"ocaptain/fleet/proto"
	"ocaptain/tasks"
	"ocaptain/tasks/eventually"
)

// asksInVain has a ship ask for a task, and for the one that it has to be accepted. It is told to ask again.
func asksInVain(t *testing.T, v *voyage, ship string) {
	t.Helper()
	s, err := v.shipNamed(ship)
	if err != nil {
		t.Fatal(err)
	}
	if g, err := s.grantClaim(t.Context(), proto.ClaimRequest{}); !isAway(err) {
		t.Errorf("%s asks for a task: %+v, %v", ship, g, err)
	}
	acceptedInVain(t, s)
}

// acceptedInVain has a ship ask for its task to be accepted. It is told to ask again.
func acceptedInVain(t *testing.T, s *ship) {
	t.Helper()
	has := heldTask(s.v.store.Snapshot(), s.name)
	if has == nil {
		return
	}
	if c, err := s.complete(t.Context(), completion(has)); !isAway(err) {
		t.Errorf("%s asks for task %s to be accepted: %+v, %v", s.name, has.ID, c, err)
	}
}

// writesAgain fails the test when the voyage does not come to its end by itself once the hub's disk takes what is written: all
// accepted, nothing claimed twice, and the captain told.
func writesAgain(t *testing.T, v *voyage) {
	t.Helper()
	accepted(t, v)
	if b := v.currentBoard(); !b.Disk.IsNone() {
		t.Errorf("it cannot write: %q", b.Disk.Why)
	}
	v.tells(t, "can write again")
	for _, s := range v.store.Snapshot().Tasks {
		if s.Epoch > 1 {
			t.Errorf("task %s was claimed %d times", s.ID, s.Epoch)
		}
	}
}

// TestHubDiskRefuses has the hub's disk take what is written and then not keep it, while one ship works and
// another waits. Nothing counts that is not on the disk, and all goes on without a new helm.
func TestHubDiskRefuses(t *testing.T) {
	t.Parallel()
	hub := newHub(t)
	h := startHelm(t, hub)
	next := task("2", "echo 2 >two")
	next.BlockedBy = []string{"1"}
	d := newVoyage(t, hub, fleet.Voyage{}, "#!/bin/sh\n", gated("1", "echo 1 >one"), next)
	v := openIt(t, h, d)
	v.sets(t, 2)
	eventually.Holds(t, "somebody works", func() bool { return v.store.Snapshot().Task("1").Status == tasks.InProgress })
	v.journal.FlushBy(func(*os.File) error { return errors.New("input/output error") })
	openGates(t, filepath.Join(hub.State, "ships"))
	eventually.Holds(t, "helm says so", func() bool {
		b := v.currentBoard()
		return !b.Disk.IsNone() && contains(b.Disk.Why, []string{"nothing is handed out or merged", "write journal to disk: input/output error", "goes on by itself"})
	})
	asksInVain(t, v, "ship-0")
	asksInVain(t, v, "ship-1")
	if s := v.store.Snapshot().Task("2"); s.Status != tasks.Pending {
		t.Fatalf("task 2 is %s", s.Status)
	}
	v.journal.FlushBy(nil)
	writesAgain(t, v)
	aftermath(t, h, d, func() []string { return nil })
}
