//go:build long

package voyage

import (
	"context"
	"os"
	"slices"
	"sync/atomic"
	"testing"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/helm/helmtest"
	"ocaptain/fleet/provider/describe"
	"ocaptain/fleet/provider/local/sandbox"
	"ocaptain/tasks"
	"ocaptain/tasks/eventually"
)

// TestFullShip has a task that writes without end. Its ship is stopped and named, the others go on, and it goes on itself once its
// captain lets it use more.
func TestFullShip(t *testing.T) {
	t.Parallel()
	hub := helmtest.Hub(t)
	var most atomic.Int64
	most.Store(512 << 20)
	h := startHelmAt(t, hub, describe.Settings{Bounds: func() (sandbox.Bounds, error) { return sandbox.Bounds{Disk: most.Load()}, nil }})
	greedy := helmtest.Task("1", `test -e ~/big || { i=0; >~/big; while head -c 32M /dev/zero >>~/big; do :; done; }; echo 1 >one`)
	d := helmtest.Voyage(t, hub, fleet.Voyage{}, "#!/bin/sh\n", greedy, helmtest.Task("2", "echo 2 >two"), helmtest.Task("3", "echo 3 >three"))
	sinkAfter(t, h, d)
	v := openIt(t, h, d)
	if err := v.Fit.ProvisionFirst(context.Background(), api.SailRequest{Ships: 2}, func(api.Progress) {}); err != nil {
		t.Fatal(err)
	}
	eventually.Holds(t, "the ship is named", func() bool { return slices.Contains(needsOf(v), fleet.NeedFull) })
	if slices.Contains(needsOf(v), fleet.NeedUnreachable) {
		t.Error("it is named twice")
	}
	for _, id := range []string{"2", "3"} {
		eventually.Holds(t, "task "+id+" is completed", func() bool { return v.Store.Snapshot().Task(id).Status == tasks.Completed })
	}
	if now := v.Store.Snapshot().Task("1"); now.Owner == "" {
		t.Errorf("its task is %s: %s", now.Status, now.Reason)
	}
	most.Store(1 << 40)
	eventually.Holds(t, "its task is completed", func() bool { return v.Store.Snapshot().Task("1").Status == tasks.Completed })
	if slices.Contains(needsOf(v), fleet.NeedFull) {
		t.Error("it is named still")
	}
	if _, err := os.Stat(v.Dir.Workspace() + "/one"); err != nil {
		t.Error(err)
	}
}
