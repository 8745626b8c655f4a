//go:build long

package voyage

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/aboard/wire"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/helm/helmtest"
	"ocaptain/fleet/proto"
	"ocaptain/tasks/eventually"
)

// TestSetAside has a ship's work on a task conflict, and another ship complete that task while the first claims nothing more. What is left
// on it is kept on a ref that one note names, its tree goes to the branch, and nothing is shown as unmerged, also by the next helm.
func TestSetAside(t *testing.T) {
	t.Parallel()
	hub := helmtest.Hub(t)
	h := startHelm(t, hub)
	d := helmtest.Voyage(t, hub, fleet.Voyage{}, "#!/bin/sh\n", gated("1", "echo same >same1"), gated("2", "echo same >same2"))
	v := openIt(t, h, d)
	v.sets(t, 2)
	mine := v.works(t, "ship-0").ID
	v.works(t, "ship-1")
	s, err := v.ShipNamed("ship-0")
	if err != nil {
		t.Fatal(err)
	}
	tree := filepath.Join(s.Record().Home, "voyage", "workspace")
	write := func(dir, name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write(tree, "same"+mine, "same\n")
	write(tree, "own.txt", "own\n")
	write(tree, "clash.txt", "the ship's\n")
	write(d.Workspace(), "clash.txt", "the captain's\n")
	git(t, d, "add", "-A")
	git(t, d, "-c", "user.name=C", "-c", "user.email=c@c", "commit", "-q", "-m", "mine")
	var refused *wire.Error
	if _, err := s.v.Requests.Complete(t.Context(), s.Ship, completion(v.state(mine))); !errors.As(err, &refused) || refused.Code != proto.CodeConflict {
		t.Fatal(err)
	}

	s.rests(time.Hour) // so that the other one gets it
	if _, err := v.Captain.Requeue(t.Context(), api.RequeueRequest{Task: mine, Reason: "it conflicts"}); err != nil {
		t.Fatal(err)
	}
	unmerged := func(v *Voyage) int {
		for _, s := range v.Board().Ships {
			if s.Name == "ship-0" {
				return s.Unmerged.Changed
			}
		}
		return -1
	}
	eventually.Holds(t, "it is counted", func() bool { return unmerged(v) >= 3 })
	openGates(t, homeOf(t, v, "ship-1"))
	accepted(t, v)
	if done := v.Store.Snapshot().Task(mine); done.Owner != "ship-1" {
		t.Fatalf("task %s was completed by %s", mine, done.Owner)
	}

	eventually.Holds(t, "nothing is unmerged", func() bool { return unmerged(v) == 0 })
	v.tells(t, "what it had of task "+mine, "which ship-1 completed", "refs/ocaptain/parked/ship-0/")
	_, ref, _ := strings.Cut(notesOf(v), "was set aside on ")
	if ref = strings.FieldsFunc(ref, func(r rune) bool { return r == ' ' || r == '}' })[0]; git(t, d, "show", ref+":own.txt") != "own" || !strings.Contains(git(t, d, "show", ref+":clash.txt"), "the ship's") {
		t.Errorf("%s keeps %s", ref, git(t, d, "ls-tree", ref))
	}
	if _, err := os.Stat(filepath.Join(tree, "own.txt")); !os.IsNotExist(err) {
		t.Errorf("its tree is not at the branch: %v", err)
	}
	if text, err := os.ReadFile(filepath.Join(tree, "clash.txt")); string(text) != "the captain's\n" {
		t.Errorf("its tree is not at the branch: %q, %v", text, err)
	}

	// Later changes there belong to no task, and stay.
	write(tree, "later.txt", "later\n")
	h.Close()
	h = startHelm(t, hub)
	v = openIt(t, h, d)
	eventually.Holds(t, "it is counted", func() bool { return unmerged(v) == 1 })
	if s, err = v.ShipNamed("ship-0"); err != nil {
		t.Fatal(err)
	}
	if err := v.Requests.SetAside(s.Ship); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(tree, "later.txt")); err != nil {
		t.Error(err)
	}
	if n := strings.Count(notesOf(v), "was set aside on "); n != 1 {
		t.Errorf("it was said %d times: %s", n, notesOf(v))
	}
	if err := v.Fit.Sink(context.Background(), func(api.Progress) {}); err != nil {
		t.Fatal(err)
	}
	none(t, h, d)
}
