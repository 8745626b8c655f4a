//go:build long

package voyage

import (
	"context"
	"strings"
	"testing"

	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/proto"
	"ocaptain/tasks/eventually"
)

// Branches and stashes come home while the ship lives: they survive the loss of its machine, even without a last look.
func TestBesideComesHome(t *testing.T) {
	t.Parallel()
	_, s, tree := restingShip(t)
	v := s.v
	home := func(subject string) func() bool {
		return func() bool {
			return git(t, v.Dir, "log", "--format=%s", "--all", "--grep=^"+subject) != ""
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
	eventually.Holds(t, "nothing is counted as unmerged", func() bool { return v.Board().Ships[0].Unmerged.IsNone() })
}

// What an agent does without a task is copied home as its turn goes on; while it rests nothing is asked of its ship.
func TestWorkWithoutTaskComesHome(t *testing.T) {
	t.Parallel()
	_, s, tree := restingShip(t)
	v := s.v
	writeFile(t, tree, "asked", "by message")
	s.tells(t, proto.AgentState{State: proto.StateWorking, Tool: "Write"})
	eventually.Holds(t, "it is home while the turn goes on", func() bool { return unmergedFile(t, v, "asked") == "by message" })
	writeFile(t, tree, "asked", "done")
	s.tells(t, proto.AgentState{State: proto.StateIdle})
	eventually.Holds(t, "it is home when the turn is over", func() bool { return unmergedFile(t, v, "asked") == "done" })
	if b := v.Board(); b.Ships[0].Changed != 1 || b.Ships[0].Copied.IsZero() {
		t.Errorf("the board has %+v", b.Ships[0].Unmerged)
	}
}

// The last look before a ship is destroyed finds what helm had not heard of.
func TestSinkTakesTheLastLook(t *testing.T) {
	t.Parallel()
	_, s, tree := restingShip(t)
	v := s.v
	writeFile(t, tree, "late", "work")
	for _, command := range [][]string{{"checkout", "-q", "-b", "idea"}, {"add", "late"}, {"commit", "-q", "-m", "on a branch"}, {"checkout", "-q", "-"}} {
		gitAt(t, tree, command...)
	}
	writeFile(t, tree, "stashed", "work")
	gitAt(t, tree, "stash", "-q", "-u")
	writeFile(t, tree, "later", "more")
	v.Requests.BringHome(t.Context(), nil)
	b := v.Board()
	if s := b.Ships[0]; s.Changed != 1 || len(s.Sides)+s.Stashed != 0 || s.Uncopied != "" {
		t.Errorf("looked at: %+v, %q", s.Unmerged, s.Uncopied)
	}
	writeFile(t, tree, "last", "most")
	var said []string
	if err := v.Fit.Sink(context.Background(), func(p api.Progress) {
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
	parked := git(t, v.Dir, "for-each-ref", "--format=%(refname)", "refs/ocaptain/parked/ship-0/")
	all := ""
	for ref := range strings.FieldsSeq(parked) {
		all += git(t, v.Dir, "log", "--format=%s", ref) + git(t, v.Dir, "show", "-m", "--name-only", "--format=", ref)
	}
	if !strings.Contains(all, "on a branch") || !strings.Contains(all, "last") || !strings.Contains(strings.Join(said, "\n"), "refs/ocaptain/parked/ship-0/") {
		t.Errorf("put aside %q, told %q:\n%s", parked, said, all)
	}
	if stash := git(t, v.Dir, "log", "--format=%s", "--all", "--grep=^WIP on"); stash == "" {
		t.Error("the stash is not home")
	}
}
