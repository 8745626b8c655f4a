//go:build long

package voyage

import (
	"slices"
	"testing"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/helm/helmtest"
	"ocaptain/tasks/eventually"
)

// A ship that was away when its task was taken back learns of it when it is there again.
func TestRequeueWhileAway(t *testing.T) {
	t.Parallel()
	hub := helmtest.Hub(t)
	h := startHelm(t, hub)
	d := helmtest.Voyage(t, hub, fleet.Voyage{}, "#!/bin/sh\n", gated("1", "echo 1 >one"))
	v := openIt(t, h, d)
	v.sets(t, 1)
	v.works(t, "ship-0")
	home := homeOf(t, v, "ship-0")
	var first []int
	eventually.Holds(t, "its command", func() bool { first = processesOf(home, "gate"); return len(first) > 0 })
	s, err := v.ShipNamed("ship-0")
	if err != nil {
		t.Fatal(err)
	}
	s.close()
	if _, err := v.Captain.Requeue(t.Context(), api.RequeueRequest{Task: "1"}); err != nil {
		t.Fatal(err)
	}
	if len(processesOf(home, "gate")) == 0 {
		t.Fatal("its command has ended, and nobody could reach it")
	}
	h.Close()
	v = openIt(t, startHelm(t, hub), d)
	eventually.Holds(t, "its command ends", func() bool {
		return !slices.ContainsFunc(processesOf(home, "gate"), func(pid int) bool { return slices.Contains(first, pid) })
	})
	openGates(t, home)
	accepted(t, v)
}
