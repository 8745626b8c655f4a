package voyage

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/helmtest"
	"ocaptain/tasks"
)

// TestCaptainMerges has the captain resolve a merge by hand in the workspace while two ships complete their tasks, and a git
// leave a lock there that died. Nothing counts as a failure, the captain is told once, and all goes on by itself.
func TestCaptainMerges(t *testing.T) {
	t.Parallel()
	hub := helmtest.Hub(t)
	h := startHelm(t, hub)
	d := helmtest.Voyage(t, hub, fleet.Voyage{}, "#!/bin/sh\n", gated("1", "echo 1 >one"), gated("2", "echo 2 >two"))
	v := openIt(t, h, d)
	v.sets(t, 2)
	for _, ship := range []string{"ship-0", "ship-1"} {
		v.works(t, ship)
	}
	branch := git(t, d, "rev-parse", "--abbrev-ref", "HEAD")
	diverge := func(text string) {
		if err := os.WriteFile(filepath.Join(d.Workspace(), "his.txt"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		git(t, d, "add", "his.txt")
		git(t, d, "-c", "user.name=C", "-c", "user.email=c@c", "commit", "-q", "-m", text)
	}
	git(t, d, "checkout", "-q", "-b", "aside")
	diverge("aside\n")
	git(t, d, "checkout", "-q", branch)
	diverge("here\n")
	if err := exec.Command("git", "-C", d.Workspace(), "merge", "aside").Run(); err == nil {
		t.Fatal("the merge should conflict")
	}
	head := git(t, d, "rev-parse", branch)

	openGates(t, filepath.Join(hub.State, "ships"))
	v.tells(t, "nothing is merged", "merge is under way", "goes on by itself")
	for _, ship := range []string{"ship-0", "ship-1"} {
		s, err := v.ShipNamed(ship)
		if err != nil {
			t.Fatal(err)
		}
		acceptedInVain(t, s)
	}
	for _, s := range v.Store.Snapshot().Tasks {
		if s.Status != tasks.InProgress || s.Epoch != 1 {
			t.Fatalf("task %s is %s of epoch %d", s.ID, s.Status, s.Epoch)
		}
	}
	if now := git(t, d, "rev-parse", branch); now != head {
		t.Fatal("the branch moved under the captain's merge")
	}
	if b := v.Board(); !strings.Contains(b.Repository.Why, "merge is under way") {
		t.Errorf("it is hindered by %q", b.Repository.Why)
	}
	// A git that died left a lock long ago.
	lock := filepath.Join(d.Workspace(), ".git", "refs", "ocaptain", "tasks", "1.lock")
	if err := os.MkdirAll(filepath.Dir(lock), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(lock, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	long := time.Now().Add(-time.Hour)
	if err := os.Chtimes(lock, long, long); err != nil {
		t.Fatal(err)
	}
	git(t, d, "merge", "--abort")
	accepted(t, v)
	v.tells(t, "nothing hinders merges any more")
	said := 0
	for _, n := range v.Board().Notes {
		if strings.Contains(n.Text, "nothing is merged") {
			said++
		}
	}
	if said != 1 {
		t.Errorf("it was said %d times: %s", said, notesOf(v))
	}
	for _, s := range v.Store.Snapshot().Tasks {
		if s.Epoch > 1 {
			t.Errorf("task %s was claimed %d times", s.ID, s.Epoch)
		}
	}
}
