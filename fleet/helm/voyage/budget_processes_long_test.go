//go:build long

package voyage

import (
	"context"
	"strings"
	"testing"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/helm/helmtest"
	"ocaptain/fleet/provider/describe"
	"ocaptain/fleet/provider/local/sandbox"
	"ocaptain/tasks"
	"ocaptain/tasks/eventually"
)

// TestForkBomb has a task that starts processes without end. It fails and says why, and the other tasks are completed.
func TestForkBomb(t *testing.T) {
	t.Parallel()
	hub := helmtest.Hub(t)
	h := startHelmAt(t, hub, describe.Settings{Bounds: func() (sandbox.Bounds, error) { return sandbox.Bounds{Processes: 200}, nil }})
	bomb := helmtest.Task("1", "while sleep 1000 </dev/null >/dev/null 2>&1 & do :; done")
	d := helmtest.Voyage(t, hub, fleet.Voyage{}, "#!/bin/sh\n", bomb, helmtest.Task("2", "echo 2 >two"), helmtest.Task("3", "echo 3 >three"))
	sinkAfter(t, h, d)
	v := openIt(t, h, d)
	if err := v.Fit.ProvisionFirst(context.Background(), api.SailRequest{Ships: 2}, func(api.Progress) {}); err != nil {
		t.Fatal(err)
	}
	eventually.Holds(t, "the bomb is found out", func() bool {
		return strings.Contains(v.Store.Snapshot().Task("1").Reason, "fork")
	})
	for _, id := range []string{"2", "3"} {
		eventually.Holds(t, "task "+id+" is completed", func() bool { return v.Store.Snapshot().Task(id).Status == tasks.Completed })
	}
}
