package helm

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
	"ocaptain/fleet/proto"
	"ocaptain/sync/gitflow"
	"ocaptain/tasks/eventually"
)

// restingShip is a ship of a voyage without a task, whose agent rests.
func restingShip(t *testing.T) (v *voyage, s *ship, tree string) {
	t.Helper()
	hub := newHub(t)
	h := startHelm(t, hub)
	d := newVoyage(t, hub, fleet.Voyage{}, "#!/bin/sh\n")
	sinkAfter(t, h, d)
	v = openIt(t, h, d)
	if err := v.provisionFirst(context.Background(), api.SailRequest{Ships: 1}, func(api.Progress) {}); err != nil {
		t.Fatal(err)
	}
	s, err := v.shipNamed("ship-0")
	if err != nil {
		t.Fatal(err)
	}
	eventually.Holds(t, "it is copied as helm meets it", func() bool { return !s.lastCopied().IsZero() })
	return v, s, filepath.Join(s.known.Ship.Home, "voyage", "workspace")
}

func (s *ship) lastCopied() time.Time {
	s.v.mu.Lock()
	defer s.v.mu.Unlock()
	return s.copied
}

func writeFile(t *testing.T, dir, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// unmergedFile returns what a file has in the work of a ship that is not merged.
func unmergedFile(t *testing.T, v *voyage, name string) string {
	t.Helper()
	from, live, err := gitflow.Unmerged(t.Context(), v.dir.Workspace(), "ship-0")
	if err != nil {
		t.Fatal(err)
	}
	if from == live || !strings.Contains(git(t, v.dir, "diff", "--name-only", from, live), name) {
		return ""
	}
	return git(t, v.dir, "show", live+":"+name)
}

// What an agent does without a task is copied home as its turn goes on; while it rests nothing is asked of its ship.
func TestWorkWithoutTaskComesHome(t *testing.T) {
	t.Parallel()
	v, s, tree := restingShip(t)
	writeFile(t, tree, "asked", "by message")
	s.tells(t, proto.AgentState{State: proto.StateWorking, Tool: "Write"})
	eventually.Holds(t, "it is home while the turn goes on", func() bool { return unmergedFile(t, v, "asked") == "by message" })
	writeFile(t, tree, "asked", "done")
	s.tells(t, proto.AgentState{State: proto.StateIdle})
	eventually.Holds(t, "it is home when the turn is over", func() bool { return unmergedFile(t, v, "asked") == "done" })
	if b := v.currentBoard(); b.Ships[0].Changed != 1 || b.Ships[0].Copied.IsZero() {
		t.Errorf("the board has %+v", b.Ships[0].Unmerged)
	}
	eventually.Holds(t, "a ship that rests is not asked on", func() bool { return !s.mayChange() && len(s.stirs) == 0 })
}

// Branches and stashes come home while the ship lives: with its machine gone they are not lost, and nobody took a last look.
func TestBesideComesHome(t *testing.T) {
	t.Parallel()
	v, s, tree := restingShip(t)
	home := func(subject string) func() bool {
		return func() bool {
			return git(t, v.dir, "log", "--format=%s", "--all", "--grep=^"+subject) != ""
		}
	}
	s.tells(t, proto.AgentState{State: proto.StateWorking, Tool: "Bash"})
	writeFile(t, tree, "idea", "work")
	for _, command := range [][]string{{"checkout", "-q", "-b", "idea"}, {"add", "idea"}, {"commit", "-q", "-m", "an idea"}, {"checkout", "-q", "-"}} {
		gitAt(t, tree, command...)
	}
	s.tells(t, proto.AgentState{State: proto.StateIdle})
	eventually.Holds(t, "the branch is home", home("an idea"))
	v.tells(t, "its other branches and its stash are kept in workspace/ as refs/ocaptain/parked/ship-0/")
	s.tells(t, proto.AgentState{State: proto.StateWorking, Tool: "Bash"})
	writeFile(t, tree, "stashed", "work")
	gitAt(t, tree, "stash", "-q", "-u")
	eventually.Holds(t, "the stash is home", home("WIP on"))
	eventually.Holds(t, "nothing is counted as unmerged", func() bool { return v.currentBoard().Ships[0].Unmerged.IsNone() })
}

// What a ship has when it is destroyed is found afterwards, although nobody heard of it before.
func TestSinkTakesTheLastLook(t *testing.T) {
	t.Parallel()
	v, _, tree := restingShip(t)
	writeFile(t, tree, "late", "work")
	for _, command := range [][]string{{"checkout", "-q", "-b", "idea"}, {"add", "late"}, {"commit", "-q", "-m", "on a branch"}, {"checkout", "-q", "-"}} {
		gitAt(t, tree, command...)
	}
	writeFile(t, tree, "stashed", "work")
	gitAt(t, tree, "stash", "-q", "-u")
	writeFile(t, tree, "later", "more")
	b := v.bringHome(t.Context(), nil)
	if s := b.Ships[0]; s.Changed != 1 || len(s.Sides)+s.Stashed != 0 || s.Uncopied != "" {
		t.Errorf("looked at: %+v, %q", s.Unmerged, s.Uncopied)
	}
	writeFile(t, tree, "last", "most")
	var said []string
	if err := v.sink(context.Background(), func(p api.Progress) {
		if p.State == api.StepNote {
			said = append(said, p.Text)
		}
		if p.Lost {
			t.Errorf("lost: %s", p.Text)
		}
	}); err != nil {
		t.Fatal(err)
	}
	if unmergedFile(t, v, "later") != "more" || unmergedFile(t, v, "last") != "most" {
		t.Error("the files are not home")
	}
	parked := git(t, v.dir, "for-each-ref", "--format=%(refname)", "refs/ocaptain/parked/ship-0/")
	all := ""
	for ref := range strings.FieldsSeq(parked) {
		all += git(t, v.dir, "log", "--format=%s", ref) + git(t, v.dir, "show", "-m", "--name-only", "--format=", ref)
	}
	if !strings.Contains(all, "on a branch") || !strings.Contains(all, "last") || !strings.Contains(strings.Join(said, "\n"), "refs/ocaptain/parked/ship-0/") {
		t.Errorf("put aside %q, told %q:\n%s", parked, said, all)
	}
	if stash := git(t, v.dir, "log", "--format=%s", "--all", "--grep=^WIP on"); stash == "" {
		t.Error("the stash is not home")
	}
}

// Who can't be reached is said to be lost, with the age of the last copy.
func TestSinkTellsWhatIsLost(t *testing.T) {
	t.Parallel()
	v, s, _ := restingShip(t)
	v.mu.Lock()
	long := time.Now().Add(-time.Hour)
	s.known.Connected, s.known.LinkSince, s.begun, s.dialled = false, long, long, time.Now().Add(time.Hour)
	v.mu.Unlock()
	b := v.bringHome(t.Context(), []string{"ship-0"})
	of := s.lastCopied().Format(time.DateTime)
	if b.Ships[0].Uncopied == "" || b.Ships[0].Copied.IsZero() {
		t.Errorf("looked at: %+v", b.Ships[0])
	}
	lost := ""
	if err := v.sink(context.Background(), func(p api.Progress) {
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
	v, _, tree := restingShip(t)
	h := v.helm
	v.close()
	h.mu.Lock()
	delete(h.voyages, v.dir.ID())
	h.mu.Unlock()
	writeFile(t, tree, "late", "work")
	again := openIt(t, h, v.dir)
	if err := again.sink(t.Context(), func(p api.Progress) {
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
