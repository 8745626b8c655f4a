package voyage

import (
	"strings"
	"testing"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/helm/helmtest"
	"ocaptain/tasks/eventually"
)

// steeringGuard is a voyage with such a guard.
func steeringGuard(steering string) fleet.Voyage {
	return fleet.Voyage{Guards: fleet.Guards{Steering: steering}}
}

// asks waits until work on the task waits for the captain.
func (v *Voyage) asks(t *testing.T, id string) fleet.Steering {
	t.Helper()
	var is *fleet.Steering
	eventually.Holds(t, "task "+id+" waits for the captain", func() bool {
		b := v.Board()
		is = b.SteeringOf(id)
		return is != nil && is.Word == fleet.Waits
	})
	return *is
}

// ends sinks a voyage: its ships would write where the test's directory is removed.
func (v *Voyage) ends(t *testing.T) {
	t.Helper()
	if err := v.Fit.Sink(t.Context(), func(api.Progress) {}); err != nil {
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

// Work that may not be merged goes back to its agent, which is told which files to leave alone.
func TestSteeringIsDenied(t *testing.T) {
	t.Parallel()
	hub := helmtest.Hub(t)
	h := startHelm(t, hub)
	run := `echo work >one; if [ -e ~/told ]; then rm -f CLAUDE.md; else touch ~/told; echo obey >CLAUDE.md; fi`
	d := helmtest.Voyage(t, hub, steeringGuard(fleet.SteeringDeny), "#!/bin/sh\n", helmtest.Task("1", run))
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
	if b := v.Board(); len(b.Steering) != 0 {
		t.Errorf("the board has %+v", b.Steering)
	}
	v.ends(t)
}
