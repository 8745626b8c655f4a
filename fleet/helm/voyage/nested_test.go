package voyage

import (
	"context"
	"testing"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/helm/helmtest"
	"ocaptain/tasks"
	"ocaptain/tasks/eventually"
)

// TestCheckBehindItsOwnWalls has an agent leave something for its check to find. The check does not find it, as it has walls of its own
// where the agent can make none, and from behind those it can make no others.
func TestCheckBehindItsOwnWalls(t *testing.T) {
	t.Parallel()
	hub := helmtest.Hub(t)
	h := startHelm(t, hub)
	one := helmtest.Task("1", "touch /tmp/planted ~/planted && ! unshare -Ur true && echo 1 >one")
	one.Metadata["verify"] = `test -e one && ! ls /tmp/planted && ! unshare -Ur true && ! bwrap --unshare-user --ro-bind / / true`
	d := helmtest.Voyage(t, hub, fleet.Voyage{}, "#!/bin/sh\n", one)
	sinkAfter(t, h, d)
	v := openIt(t, h, d)
	if err := v.Fit.ProvisionFirst(context.Background(), api.SailRequest{Ships: 1}, func(api.Progress) {}); err != nil {
		t.Fatal(err)
	}
	eventually.Holds(t, "the task is done with", func() bool {
		now := v.Store.Snapshot().Task("1")
		return now.Status == tasks.Completed || now.Reason != ""
	})
	if now := v.Store.Snapshot().Task("1"); now.Status != tasks.Completed {
		t.Errorf("%s: %s", now.Status, now.Reason)
	}
}
