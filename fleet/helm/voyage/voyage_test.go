package voyage

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"
	gosync "sync"
	"testing"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/helm/fit"
	"ocaptain/fleet/helm/helmtest"
	"ocaptain/fleet/helm/kind"
	"ocaptain/fleet/helm/rights"
	"ocaptain/tasks"
	"ocaptain/tasks/eventually"
)

func git(t *testing.T, d fleet.Dir, args ...string) string {
	t.Helper()
	out, err := exec.Command("git", append([]string{"-C", d.Workspace()}, args...)...).CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// lacksTwo sails a voyage of one ship that fails to verify, as no file is called two.
func lacksTwo(t *testing.T) *Voyage {
	t.Helper()
	hub := helmtest.Hub(t)
	h := startHelm(t, hub)
	d := helmtest.Voyage(t, hub, fleet.Voyage{}, "#!/bin/sh\ntest -e ~/voyage/workspace/two\n", helmtest.Task("1", "echo 1 >one"))
	sinkAfter(t, h, d)
	v := openIt(t, h, d)
	if err := v.Fit.ProvisionFirst(context.Background(), api.SailRequest{Ships: 1}, func(api.Progress) {}); err != nil {
		t.Fatal(err)
	}
	eventually.Holds(t, "verification fails", v.is(fleet.VerifyFailed))
	return v
}

// TestFinishedAgentIsRoused adds a task when the voyage is over and its agents have ended: it sails
// again, an agent comes back, and the voyage is verified again.
func TestFinishedAgentIsRoused(t *testing.T) {
	t.Parallel()
	v := lacksTwo(t)
	s, err := v.ShipNamed("ship-0")
	if err != nil {
		t.Fatal(err)
	}
	eventually.Holds(t, "the agent ends", when(v, func() bool { return s.activity().Finished() }))
	if _, err := v.Store.Add(context.Background(), []tasks.Task{helmtest.Task("2", "echo 2 >two")}); err != nil {
		t.Fatal(err)
	}
	eventually.Holds(t, "complete", v.is(fleet.Complete))
}

// TestSinkWhileFitting sinks a voyage in the middle of its fitting out, at once.
func TestSinkWhileFitting(t *testing.T) {
	t.Parallel()
	hub := helmtest.Hub(t)
	h := startHelm(t, hub)
	d := helmtest.Voyage(t, hub, fleet.Voyage{}, "#!/bin/sh\n", helmtest.Task("1", "true"))
	v := openIt(t, h, d)
	begun, failed := make(chan struct{}), make(chan error, 1)
	go func() {
		var once gosync.Once
		failed <- v.Fit.ProvisionFirst(context.Background(), api.SailRequest{Ships: 2}, func(p api.Progress) {
			if p.Step == "reach" {
				once.Do(func() { close(begun) })
			}
		})
	}()
	<-begun
	if err := v.Fit.Sink(context.Background(), func(api.Progress) {}); err != nil {
		t.Fatal(err)
	}
	if err := <-failed; !errors.Is(err, fit.ErrSinking) {
		t.Errorf("sail: %v", err)
	}
	none(t, h, d)
	h.forget(v)
	if err := os.RemoveAll(string(d)); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(string(d)); err == nil {
		t.Error("the directory of a voyage that is sunk came back")
	}
}

// none makes sure that a voyage has no machine.
func none(t *testing.T, h *helm, d fleet.Dir) {
	t.Helper()
	left, err := h.Providers["local"].List(context.Background(), h.Labels(d))
	if err != nil || len(left) > 0 {
		t.Errorf("machines left: %v, %v", left, err)
	}
}

// TestRemoveDuringWork removes a ship while it works: its task is pending, at a new
// claim's disposal, and a claim of the old ship is refused.
func TestRemoveDuringWork(t *testing.T) {
	t.Parallel()
	hub := helmtest.Hub(t)
	h := startHelm(t, hub)
	d := helmtest.Voyage(t, hub, fleet.Voyage{}, "#!/bin/sh\n", helmtest.Task("1", "sleep 600"))
	sinkAfter(t, h, d)
	v := openIt(t, h, d)
	if err := v.Fit.ProvisionFirst(context.Background(), api.SailRequest{Ships: 1}, func(api.Progress) {}); err != nil {
		t.Fatal(err)
	}
	eventually.Holds(t, "work", func() bool { return v.Store.Snapshot().Held("ship-0") != nil })
	old, err := v.ShipNamed("ship-0")
	if err != nil {
		t.Fatal(err)
	}
	if err := v.Fit.Remove(context.Background(), "ship-0", func(api.Progress) {}); err != nil {
		t.Fatal(err)
	}
	if s := v.Store.Snapshot().Task("1"); s.Status != tasks.Pending {
		t.Errorf("task 1 is %s of %s", s.Status, s.Owner)
	}
	if err := old.Lock(context.Background()); err == nil {
		t.Error("a ship that was removed gets its tree")
	}
	none(t, h, d)
	// The directory goes while helm looks after it: what tells of ships comes back.
	if err := os.Remove(d.Voyage()); err != nil {
		t.Fatal(err)
	}
	v.keeper.Save()
	if _, err := fleet.LoadVoyage(d); err != nil {
		t.Error(err)
	}
}

// TestMergedClaimIsNotTakenBack has work on the branch whose completion was never
// recorded: reclaiming and requeueing complete it, and so does a new start.
func TestMergedClaimIsNotTakenBack(t *testing.T) {
	t.Parallel()
	hub := helmtest.Hub(t)
	h := startHelm(t, hub)
	d := helmtest.Voyage(t, hub, fleet.Voyage{}, "#!/bin/sh\n", helmtest.Task("1", ""), helmtest.Task("2", ""), helmtest.Task("3", ""), helmtest.Task("4", ""))
	v := openIt(t, h, d)
	for _, id := range []string{"1", "2", "3", "4"} {
		g, err := v.Store.Claim(v.Context, "ship-"+id, id)
		if err != nil {
			t.Fatal(err)
		}
		if id != "4" {
			git(t, d, "commit", "-q", "--allow-empty", "-m", "work\n\n"+kind.TrailerClaim+": "+tasks.ClaimID(id, g.Epoch))
		}
	}
	if err := v.claims.Reclaim(rights.Provider, "ship-1", "lost"); err != nil {
		t.Error(err)
	}
	if _, err := v.Captain.Requeue(v.Context, api.RequeueRequest{Task: "2"}); err != nil {
		t.Fatal(err)
	}
	if err := v.claims.Reclaim(rights.Provider, "ship-4", "lost"); err != nil {
		t.Error(err)
	}
	want := map[string]tasks.Status{"1": tasks.Completed, "2": tasks.Completed, "3": tasks.InProgress, "4": tasks.Pending}
	check := func(v *Voyage) {
		t.Helper()
		for id, status := range want {
			if got := v.Store.Snapshot().Task(id).Status; got != status {
				t.Errorf("task %s is %s, want %s", id, got, status)
			}
		}
	}
	check(v)
	h.Close()
	want["3"] = tasks.Completed
	check(openIt(t, startHelm(t, hub), d))
}
