package helm

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/proto"
	"ocaptain/tasks"
	"ocaptain/tasks/eventually"
)

// steeringGuard is a voyage with such a guard.
func steeringGuard(steering string) fleet.Voyage {
	return fleet.Voyage{Guards: fleet.Guards{Steering: steering}}
}

// asks waits until work on the task waits for the captain.
func (v *voyage) asks(t *testing.T, id string) fleet.Steering {
	t.Helper()
	var is *fleet.Steering
	eventually.Holds(t, "task "+id+" waits for the captain", func() bool {
		b := v.currentBoard()
		is = b.SteeringOf(id)
		return is != nil && is.Word == fleet.Waits
	})
	return *is
}

// ends sinks a voyage: its ships would write where the test's directory is removed.
func (v *voyage) ends(t *testing.T) {
	t.Helper()
	if err := v.sink(t.Context(), func(api.Progress) {}); err != nil {
		t.Errorf("sink: %v", err)
	}
}

// onBranch is a file of the voyage branch, "" without one.
func onBranch(t *testing.T, d fleet.Dir, name string) string {
	t.Helper()
	if git(t, d, "ls-tree", "--name-only", d.ID(), name) == "" {
		return ""
	}
	return git(t, d, "show", d.ID()+":"+name)
}

// Work that changes files which steer agents is merged and marked, unless the captain has chosen something else.
func TestSteeringIsFlagged(t *testing.T) {
	t.Parallel()
	hub := newHub(t)
	h := startHelm(t, hub)
	d := newVoyage(t, hub, fleet.Voyage{}, "#!/bin/sh\n", task("1", "echo obey >CLAUDE.md; mkdir -p .github/workflows; echo on >.github/workflows/ci.yml"), task("2", "echo 2 >two"))
	v := openIt(t, h, d)
	v.sets(t, 1)
	accepted(t, v)
	v.tells(t, "changed files that steer agents: .github/workflows/ci.yml, CLAUDE.md")
	check := func() {
		t.Helper()
		b := v.currentBoard()
		if is := b.SteeringOf("1"); len(b.Steering) != 1 || is == nil || is.Word != fleet.Flagged || !slices.Equal(is.Paths, []string{".github/workflows/ci.yml", "CLAUDE.md"}) {
			t.Errorf("the board has %+v", b.Steering)
		}
	}
	check()
	h.close()
	v = openIt(t, startHelm(t, hub), d)
	check()
	v.ends(t)
}

// Work that may not be merged goes back to its agent, which is told which files to leave alone.
func TestSteeringIsDenied(t *testing.T) {
	t.Parallel()
	hub := newHub(t)
	h := startHelm(t, hub)
	run := `echo work >one; if [ -e ~/told ]; then rm -f CLAUDE.md; else touch ~/told; echo obey >CLAUDE.md; fi`
	d := newVoyage(t, hub, steeringGuard(fleet.SteeringDeny), "#!/bin/sh\n", task("1", run))
	v := openIt(t, h, d)
	v.sets(t, 1)
	accepted(t, v)
	v.tells(t, "guard.steering: deny", "CLAUDE.md")
	if text := logsOf(t, v, "ship-0"); !strings.Contains(text, "Leave these as they are on the branch, then complete the task again: CLAUDE.md") {
		t.Error("the agent was not told")
	}
	if onBranch(t, d, "CLAUDE.md") != "" || onBranch(t, d, "one") != "work" {
		t.Error("what is on the branch is not what was let in")
	}
	if b := v.currentBoard(); len(b.Steering) != 0 {
		t.Errorf("the board has %+v", b.Steering)
	}
	v.ends(t)
}

// Work waits for the captain, also when helm is killed meanwhile and again between his word and the merge. Nothing else
// waits with it.
func TestSteeringIsAsked(t *testing.T) {
	t.Parallel()
	hub := newHub(t)
	h := startHelm(t, hub)
	d := newVoyage(t, hub, steeringGuard(fleet.SteeringAsk), "#!/bin/sh\n", task("1", "echo obey >CLAUDE.md; echo 1 >one"), task("2", "echo 2 >two"))
	v := openIt(t, h, d)
	v.sets(t, 2)
	is := v.asks(t, "1")
	eventually.Holds(t, "the other task is merged", func() bool { return v.store.Snapshot().Task("2").Status == tasks.Completed })
	v.says(t, is.Ship, fleet.Waiting, "you approve or reject", "CLAUDE.md")
	v.tells(t, "is not merged until you approve it: CLAUDE.md", "ocaptain approve 1")
	if files := git(t, d, "diff", "--name-only", is.Base, is.Commit); files != "CLAUDE.md\none" {
		t.Errorf("the captain is shown %q", files)
	}
	h.close()
	h = startHelm(t, hub)
	v = openIt(t, h, d)
	if again := v.asks(t, "1"); again.Work != is.Work {
		t.Error("after helm was started again other work waits")
	}
	if onBranch(t, d, "CLAUDE.md") != "" {
		t.Fatal("it is merged already")
	}
	s, err := v.shipNamed(is.Ship)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.tree.Lock(t.Context()); err != nil { // no merge comes in between
		t.Fatal(err)
	}
	if err := v.decide(t.Context(), api.DecideRequest{Task: "1", Work: is.Work, Approve: true}); err != nil {
		t.Fatal(err)
	}
	if err := v.decide(t.Context(), api.DecideRequest{Task: "1", Work: is.Work}); !errors.Is(err, api.ErrRefused) {
		t.Errorf("the captain decides again: %v", err)
	}
	go h.close()
	<-v.ctx.Done()
	s.tree.Unlock()
	h.close()
	v = openIt(t, startHelm(t, hub), d)
	accepted(t, v)
	if onBranch(t, d, "CLAUDE.md") != "obey" {
		t.Error("what was approved is not merged")
	}
	if b := v.currentBoard(); b.SteeringOf("1").Word != fleet.Approved {
		t.Errorf("the board has %+v", b.Steering)
	}
	v.ends(t)
}

// A ship shows the captain one thing and completes with another once he has approved it. What he did not see waits anew,
// be it another steering file or only what one leads to.
func TestSteeringChangedAfterAccepting(t *testing.T) {
	t.Parallel()
	hub := newHub(t)
	h := startHelm(t, hub)
	d := newVoyage(t, hub, steeringGuard(fleet.SteeringAsk), "#!/bin/sh\n", task("1", "echo run ./setup >CLAUDE.md; echo true >setup"))
	v := openIt(t, h, d)
	v.sets(t, 1)
	first := v.asks(t, "1")
	tree := filepath.Join(homeOf(t, v, "ship-0"), "voyage", "workspace")
	if err := os.WriteFile(filepath.Join(tree, "setup"), []byte("evil\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := v.decide(t.Context(), api.DecideRequest{Task: "1", Work: first.Work, Approve: true}); err != nil {
		t.Fatal(err)
	}
	eventually.Holds(t, "the other work waits", func() bool {
		b := v.currentBoard()
		is := b.SteeringOf("1")
		return is.Word == fleet.Waits && is.Work != first.Work
	})
	second := v.asks(t, "1")
	if onBranch(t, d, "setup") != "" || git(t, d, "show", second.Commit+":setup") != "evil" {
		t.Error("what nobody approved was merged, or is not shown")
	}
	if err := v.decide(t.Context(), api.DecideRequest{Task: "1", Work: first.Work, Approve: true}); !errors.Is(err, api.ErrRefused) {
		t.Errorf("the word on the first counts for the second: %v", err)
	}
	if _, err := v.requeue(t.Context(), api.RequeueRequest{Task: "1"}); err != nil { // nothing holds the ship's tree
		t.Fatal(err)
	}
	third := v.asks(t, "1") // the new claim makes the first work anew
	if third.Epoch == second.Epoch {
		t.Error("the claim is the old one")
	}
	if err := v.decide(t.Context(), api.DecideRequest{Task: "1", Work: third.Work, Approve: true}); err != nil {
		t.Fatal(err)
	}
	accepted(t, v)
	if onBranch(t, d, "setup") != "true" {
		t.Error("what was approved is not merged")
	}
	v.ends(t)
}

// An agent that asks for the completion of a task that is not its own, or not there, does not wait.
func TestSteeringAsksOnce(t *testing.T) {
	t.Parallel()
	hub := newHub(t)
	d := newVoyage(t, hub, steeringGuard(fleet.SteeringAsk), "#!/bin/sh\n", task("1", ""))
	v := openIt(t, startHelm(t, hub), d)
	s := newShip(v, &fleet.Ship{Name: "ship-0", Role: fleet.Worker, Agent: "script", Provider: "local", Phase: fleet.Afloat})
	for _, id := range []string{"1", "9", ""} {
		if _, err := s.complete(t.Context(), proto.CompleteRequest{Claim: proto.Claim{Task: id, Epoch: 1}}); err == nil {
			t.Errorf("task %q is completed", id)
		}
	}
}
