//go:build long

package voyage

import (
	"context"
	"crypto/rand"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/helm/helmtest"
	"ocaptain/fleet/helm/ship"
	"ocaptain/fleet/proto"
	"ocaptain/tasks"
	"ocaptain/tasks/eventually"
)

// TestCopiesFlood changes so much in a ship's tree that helm stops copying it for an hour. Its completed work is still
// merged, nothing else of it is lost, and another ship is copied as usual.
func TestCopiesFlood(t *testing.T) {
	t.Parallel()
	hub := helmtest.Hub(t)
	h := startHelm(t, hub)
	d := helmtest.Voyage(t, hub, fleet.Voyage{}, "#!/bin/sh\n")
	sinkAfter(t, h, d)
	v := openIt(t, h, d)
	if err := v.Fit.ProvisionFirst(context.Background(), api.SailRequest{Ships: 2}, func(api.Progress) {}); err != nil {
		t.Fatal(err)
	}
	var ships [2]*Ship
	var trees [2]string
	for i := range ships {
		var err error
		if ships[i], err = v.ShipNamed(fmt.Sprint("ship-", i)); err != nil {
			t.Fatal(err)
		}
		eventually.Holds(t, "it is copied as helm meets it", func() bool { return !ships[i].lastCopied().IsZero() })
		trees[i] = filepath.Join(ships[i].Record().Home, "voyage", "workspace")
	}
	flood, quiet := ships[0], ships[1]
	flood.Change(func(is *ship.State) { is.Budgets[ship.Copies].Burst, is.Budgets[ship.Copies].Rate = 1<<20, 1<<8 })
	quiet.rests(time.Hour) // the task is for the other one
	slowed := func(s *Ship) string {
		what, _ := s.State().Budgets.Slowed(time.Now())
		return strings.Join(what, ", ")
	}

	noise := make([]byte, 4<<20)
	if _, err := rand.Read(noise); err != nil {
		t.Fatal(err)
	}
	writeFile(t, trees[0], "noise", string(noise))
	flood.tells(t, proto.AgentState{State: proto.StateWorking})
	eventually.Holds(t, "its copies are too much", func() bool { return slowed(flood) == "copies" })
	last := flood.lastCopied()
	quiet.tells(t, proto.AgentState{State: proto.StateWorking})
	for i := range 3 {
		was := quiet.lastCopied()
		writeFile(t, trees[0], "noise", string(noise[i:]))
		writeFile(t, trees[1], "small", fmt.Sprint(i))
		eventually.Holds(t, "the other ship is copied", func() bool { return quiet.lastCopied().After(was) })
	}
	if now := flood.lastCopied(); !now.Equal(last) || slowed(quiet) != "" {
		t.Errorf("copied at %s and %s; the other one is slowed: %q", last, now, slowed(quiet))
	}

	flood.tells(t, proto.AgentState{State: proto.StateIdle})
	if _, err := v.Store.Add(t.Context(), []tasks.Task{helmtest.Task("1", "echo done >one")}); err != nil {
		t.Fatal(err)
	}
	eventually.Holds(t, "its task is completed", func() bool { return v.Store.Snapshot().Task("1").Status == tasks.Completed })
	if one := git(t, d, "show", "HEAD:one"); strings.TrimSpace(one) != "done" {
		t.Errorf("merged: %q", one)
	}
	parked := strings.Fields(git(t, d, "for-each-ref", "--format=%(refname)", "refs/ocaptain/parked/ship-0/"))
	if len(parked) != 1 || git(t, d, "cat-file", "-s", parked[0]+":noise") != fmt.Sprint(len(noise)-2) {
		t.Errorf("put aside: %q", parked)
	}
	if b := v.Board(); !strings.Contains(fmt.Sprint(b.Notes), "its copies of its tree are made less often") {
		t.Errorf("notes: %v", b.Notes)
	}
}
