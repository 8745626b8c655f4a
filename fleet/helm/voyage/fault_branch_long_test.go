//go:build long

package voyage

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/helm/helmtest"
	"ocaptain/tasks/eventually"
)

// TestVoyageIsMovedAway moves the directory of a voyage away while its ships complete their tasks, and back. Completions wait, and
// nothing counts as a failure.
func TestVoyageIsMovedAway(t *testing.T) {
	t.Parallel()
	hub := helmtest.Hub(t)
	h := startHelm(t, hub)
	d := helmtest.Voyage(t, hub, fleet.Voyage{}, "#!/bin/sh\n", gated("1", "echo x >>~/ran; echo 1 >one"), gated("2", "echo x >>~/ran; echo 2 >two"))
	v := openIt(t, h, d)
	v.sets(t, 2)
	for _, ship := range []string{"ship-0", "ship-1"} {
		v.works(t, ship)
	}
	away := filepath.Join(hub.State, "away")
	if err := os.Rename(string(d), away); err != nil {
		t.Fatal(err)
	}
	free := func() {
		t.Helper()
		if _, err := os.Lstat(string(d)); !os.IsNotExist(err) {
			t.Fatalf("something is made where it was: %v", err)
		}
	}
	openGates(t, filepath.Join(hub.State, "ships"))
	for _, ship := range []string{"ship-0", "ship-1"} {
		s, err := v.ShipNamed(ship)
		if err != nil {
			t.Fatal(err)
		}
		eventually.Holds(t, "its task is done there", func() bool {
			_, err := os.Stat(filepath.Join(s.Record().Home, "ran"))
			return err == nil
		})
		acceptedInVain(t, s)
	}
	v.tells(t, "put "+d.Workspace()+" back")
	for range 3 { // whatever writes there tries to
		v.keeper.Save()
		v.Notes.Add(fleet.Note{Text: "one more"})
		_, _ = v.Send(t.Context(), "ship-0", api.SayRequest{Text: "come back"})
		_ = v.Hinders.CheckDisk()
		free()
	}
	if err := os.Rename(away, string(d)); err != nil {
		t.Fatal(err)
	}
	accepted(t, v)
	for _, s := range v.Store.Snapshot().Tasks {
		owner, err := v.ShipNamed(s.Owner)
		if err != nil {
			t.Fatal(err)
		}
		if ran, err := os.ReadFile(filepath.Join(owner.Record().Home, "ran")); s.Epoch != 1 || string(ran) != "x\n" || err != nil {
			t.Errorf("task %s was claimed %d times, and ran as %q, %v: %s", s.ID, s.Epoch, ran, err, s.Reason)
		}
	}
	if err := v.Fit.Sink(context.Background(), func(api.Progress) {}); err != nil {
		t.Fatal(err)
	}
}

// TestBranchIsDeleted has the captain delete the voyage's branch while two ships complete their tasks, while helm is down, and before
// the voyage is sunk. Each time helm makes the branch again where it was, counts no failure, and loses no work.
func TestBranchIsDeleted(t *testing.T) {
	t.Parallel()
	hub := helmtest.Hub(t)
	h := startHelm(t, hub)
	d := helmtest.Voyage(t, hub, fleet.Voyage{}, "#!/bin/sh\n", gated("1", "echo 1 >one"), gated("2", "echo 2 >two"))
	v := openIt(t, h, d)
	v.sets(t, 2)
	for _, ship := range []string{"ship-0", "ship-1"} {
		v.works(t, ship)
	}
	remove := func() {
		git(t, d, "checkout", "-q", "--detach")
		git(t, d, "branch", "-q", "-D", v.Info.Branch)
	}
	remove()
	openGates(t, filepath.Join(hub.State, "ships"))
	v.tells(t, v.Info.Branch, "was made anew")
	git(t, d, "checkout", "-q", v.Info.Branch)
	accepted(t, v)
	for _, s := range v.Store.Snapshot().Tasks {
		if s.Epoch != 1 {
			t.Errorf("task %s was claimed %d times", s.ID, s.Epoch)
		}
	}
	head := git(t, d, "rev-parse", v.Info.Branch)

	h.Close()
	remove()
	h = startHelm(t, hub)
	v = openIt(t, h, d)
	accepted(t, v)

	remove()
	if err := v.Fit.Sink(context.Background(), func(api.Progress) {}); err != nil {
		t.Fatal(err)
	}
	none(t, h, d)
	if now := git(t, d, "rev-parse", v.Info.Branch); now != head {
		t.Errorf("the branch is at %s, was at %s", now, head)
	}
	if said := notesOf(v); strings.Contains(said, "could not be copied") || strings.Contains(said, "is lost") || strings.Contains(said, "nothing is merged") {
		t.Error(said)
	}
}
