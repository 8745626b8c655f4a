//go:build long

package voyage

import (
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/helmtest"
	"ocaptain/tasks/eventually"
)

// kills kills the processes of a local ship that match word; there must be some.
func kills(t *testing.T, home, word string) {
	t.Helper()
	pids := processesOf(home, word)
	if len(pids) == 0 {
		t.Fatalf("nothing like %q runs", word)
	}
	for _, pid := range pids {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
}

// A terminal that is killed in the middle of a task ends neither the task nor its claim,
// whether helm is there or not: the agent is started again and goes on with it.
func TestKilledTerminalKeepsItsTask(t *testing.T) {
	t.Parallel()
	for name, away := range map[string]bool{"helm is there": false, "helm is away": true} {
		t.Run(name, func(t *testing.T) {
			hub := helmtest.Hub(t)
			h := startHelm(t, hub)
			d := helmtest.Voyage(t, hub, fleet.Voyage{}, "#!/bin/sh\n", gated("1", "echo 1 >one"))
			v := openIt(t, h, d)
			v.sets(t, 2)
			eventually.Holds(t, "somebody works", func() bool { return v.Store.Snapshot().Task("1").Owner != "" })
			owner := v.Store.Snapshot().Task("1").Owner
			v.works(t, owner)
			home := homeOf(t, v, owner)
			eventually.Holds(t, "its command", func() bool { return len(processesOf(home, "gate")) > 0 })
			if away {
				h.Close()
			}
			first, command := processesOf(home, "aboard run"), processesOf(home, "gate")
			kills(t, home, "tmux")
			eventually.Holds(t, "the agent is dead", func() bool { // another one may run soon
				return !slices.ContainsFunc(processesOf(home, "gate"), func(pid int) bool { return slices.Contains(command, pid) })
			})
			if away {
				v = openIt(t, startHelm(t, hub), d)
			}
			eventually.Holds(t, "it is started again", func() bool {
				now := processesOf(home, "aboard run")
				return len(now) > 0 && !slices.Contains(first, now[0]) && len(processesOf(home, "gate")) > 0
			})
			openGates(t, filepath.Join(hub.State, "ships"))
			accepted(t, v)
			if s := v.Store.Snapshot().Task("1"); s.Epoch != 1 || s.Owner != owner {
				t.Errorf("task 1 was %s's and is completed by %s with claim %d", owner, s.Owner, s.Epoch)
			}
		})
	}
}
