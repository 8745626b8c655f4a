//go:build long

package voyage

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/helm/facts"
	"ocaptain/fleet/helm/helmtest"
	"ocaptain/fleet/provider/hosts/hoststest"
	"ocaptain/tasks"
	"ocaptain/tasks/eventually"
	"ocaptain/tasks/journal"
)

// claimsOf counts the claims that each ship was granted.
func claimsOf(t *testing.T, d fleet.Dir) map[string]int {
	t.Helper()
	claims := map[string]int{}
	if _, err := journal.Read(d.Events(), 0, func(r journal.Record) error {
		var c struct{ Owner string }
		if r.Kind == "task.claimed" && json.Unmarshal(r.Data, &c) == nil {
			claims[c.Owner]++
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return claims
}

// TestShipThatCannotWrite has no room on the host of one of two ships. It tries less and less often to take a task,
// the captain is told once, no task is blamed, and the other ship does all of them.
func TestShipThatCannotWrite(t *testing.T) {
	t.Parallel()
	hub := helmtest.Hub(t)
	captain := hoststest.NewCaptain(t, hub.Home)
	quay, pier := captain.Start("quay", nil), captain.Start("pier", nil)
	disk := newDisk(t, quay.Ships())
	list := []tasks.Task{gated("1", "echo 1 >one"), gated("2", "echo 2 >two")}
	for n := 3; n <= 22; n++ {
		next := helmtest.Task(fmt.Sprint(n), fmt.Sprintf("sleep 0.5; echo %d >file%d", n, n))
		next.Metadata["priority"] = float64(3)
		list = append(list, next)
	}
	d := helmtest.Voyage(t, hub, fleet.Voyage{Provider: "hosts"}, "#!/bin/sh\n", list...)
	h := startHelm(t, hub, "quay*1", "pier*1")
	v := openIt(t, h, d)
	v.sets(t, 2)
	full := ""
	for _, ship := range []string{"ship-0", "ship-1"} {
		v.works(t, ship)
		if at, _ := filepath.Glob(filepath.Join(quay.Ships(), d.ID()+"-"+strings.ReplaceAll(ship, "-", "")+"*")); len(at) > 0 {
			full = ship
		}
	}
	disk.fill(quay.Aboard()...)
	openGates(t, pier.Ships())
	if _, err := v.Captain.Requeue(t.Context(), api.RequeueRequest{Task: v.works(t, full).ID}); err != nil {
		t.Fatal(err)
	}
	v.says(t, full, fleet.Errored, "space left on device", "takes no tasks for now")
	accepted(t, v)
	if n := claimsOf(t, d)[full]; n > 8 {
		t.Errorf("%s took a task %d times", full, n)
	}
	for _, is := range v.Store.Snapshot().Tasks {
		if n := v.Records.Failures(facts.Work, is.ID); n > 0 {
			t.Errorf("%d failures of task %s are counted", n, is.ID)
		}
	}
	said := 0
	for _, n := range v.Board().Notes {
		if strings.Contains(n.Text, "takes no tasks for now") {
			said++
		}
	}
	if said != 1 {
		t.Errorf("the captain is told %d times", said)
	}
	disk.free()
	if _, err := v.Store.Add(t.Context(), []tasks.Task{helmtest.Task("30", "echo 30 >thirty")}); err != nil {
		t.Fatal(err)
	}
	eventually.Holds(t, "the new task is done", func() bool { return v.Store.Snapshot().Task("30").Status == tasks.Completed })
	aftermath(t, h, d, leftOn(quay, pier))
}
