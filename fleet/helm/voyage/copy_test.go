package voyage

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/helm/helmtest"
	"ocaptain/fleet/link"
	"ocaptain/sync/gitflow/hub"
	"ocaptain/tasks/eventually"
)

// restingShip is a ship of a voyage without a task, whose agent rests.
func restingShip(t *testing.T) (h *helm, s *Ship, tree string) {
	t.Helper()
	hub := helmtest.Hub(t)
	h = startHelm(t, hub)
	d := helmtest.Voyage(t, hub, fleet.Voyage{}, "#!/bin/sh\n")
	sinkAfter(t, h, d)
	v := openIt(t, h, d)
	if err := v.Fit.ProvisionFirst(context.Background(), api.SailRequest{Ships: 1}, func(api.Progress) {}); err != nil {
		t.Fatal(err)
	}
	s, err := v.ShipNamed("ship-0")
	if err != nil {
		t.Fatal(err)
	}
	eventually.Holds(t, "it is copied as helm meets it", func() bool { return !s.lastCopied().IsZero() })
	return h, s, filepath.Join(s.Record().Home, "voyage", "workspace")
}

func (s *Ship) lastCopied() time.Time {
	return s.Copies.Now().Copied
}

func writeFile(t *testing.T, dir, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// unmergedFile returns what a file has in the work of a ship that is not merged.
func unmergedFile(t *testing.T, v *Voyage, name string) string {
	t.Helper()
	from, live, err := hub.Unmerged(t.Context(), v.Dir.Workspace(), "ship-0")
	if err != nil {
		t.Fatal(err)
	}
	if from == live || !strings.Contains(git(t, v.Dir, "diff", "--name-only", from, live), name) {
		return ""
	}
	return git(t, v.Dir, "show", live+":"+name)
}

// Who can't be reached is said to be lost, with the age of the last copy.
func TestSinkTellsWhatIsLost(t *testing.T) {
	t.Parallel()
	_, s, _ := restingShip(t)
	v := s.v
	s.Reach.Note(link.Status{State: link.Down, Since: time.Now().Add(-time.Hour), Tried: time.Now().Add(time.Hour)})
	v.Requests.BringHome(t.Context(), []string{"ship-0"})
	b := v.Board()
	of := s.lastCopied().Format(time.DateTime)
	if b.Ships[0].Uncopied == "" || b.Ships[0].Copied.IsZero() {
		t.Errorf("looked at: %+v", b.Ships[0])
	}
	lost := ""
	if err := v.Fit.Sink(context.Background(), func(p api.Progress) {
		if p.Lost {
			lost += p.Text
		}
	}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(lost, "cannot be reached") || !strings.Contains(lost, of) {
		t.Errorf("told %q, the last copy is of %s", lost, of)
	}
}

// gitAt runs git in a repository that may be a ship's, whose user it stays, and returns what it prints.
func gitAt(t *testing.T, dir string, args ...string) string {
	t.Helper()
	out, err := exec.Command("git", append([]string{"-C", dir, "-c", "safe.directory=*"}, args...)...).CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	if out, err := exec.Command("chown", "-R", "--reference="+dir, dir).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return strings.TrimSpace(string(out))
}

// A helm that has just begun has no link yet: a sink waits for it, and loses nothing.
func TestSinkWaitsForTheLink(t *testing.T) {
	t.Parallel()
	h, s, tree := restingShip(t)
	h.forget(s.v)
	writeFile(t, tree, "late", "work")
	again := openIt(t, h, s.v.Dir)
	if err := again.Fit.Sink(t.Context(), func(p api.Progress) {
		if p.Lost {
			t.Errorf("lost: %s", p.Text)
		}
	}); err != nil {
		t.Fatal(err)
	}
	if unmergedFile(t, again, "late") != "work" {
		t.Error("the file is not home")
	}
}

// A voyage that is sunk is not sunk again: helm may be closing it.
func TestSinkAgain(t *testing.T) {
	t.Parallel()
	_, _, v, _ := stoppedVoyage(t)
	for range 2 {
		if err := v.Fit.Sink(t.Context(), func(api.Progress) {}); err != nil {
			t.Error(err)
		}
		v.stop()
	}
	if got := v.Roster.Now().Phase; got != fleet.Sunk {
		t.Errorf("it is %s", got)
	}
}
