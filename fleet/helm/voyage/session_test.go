package voyage

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/helm/helmtest"
	"ocaptain/fleet/need"
	"ocaptain/fleet/proto"
	"ocaptain/tasks"
	"ocaptain/tasks/eventually"
)

// newSession sails a session whose planner runs the commands, one for each epic, and which has so many workers.
func newSession(t *testing.T, h *helm, workers int, commands ...string) *Voyage {
	t.Helper()
	var epics []tasks.Task
	for i, c := range commands {
		e, err := tasks.NewEpic(c, nil, 2)
		if err != nil {
			t.Fatal(err)
		}
		e.ID = fmt.Sprint(i + 1)
		epics = append(epics, e)
	}
	d := helmtest.Voyage(t, h.Hub, fleet.Voyage{Kind: fleet.Session}, "#!/bin/sh\nexit 0\n", epics...)
	sinkAfter(t, h, d)
	v := openIt(t, h, d)
	if err := v.Fit.ProvisionFirst(t.Context(), api.SailRequest{Ships: 1 + workers}, func(api.Progress) {}); err != nil {
		t.Fatal(err)
	}
	return v
}

// planned is a command of a planner that hands in tasks.
func planned(json string) string { return "ocaptain task plan - <<'END'\n" + json + "\nEND" }

// TestSession brings two epics to the branch: the planner breaks them down, workers do the parts in their order, and the epics are done
// when all of theirs are merged. An epic that is added later is done as well.
func TestSession(t *testing.T) {
	t.Parallel()
	v := newSession(t, startHelm(t, helmtest.Hub(t)), 2,
		planned(`{"tasks": [
			{"id": "A", "title": "Schema", "run": "echo a >a"},
			{"title": "Model", "depends_on": ["A"], "run": "test -e a && echo b >b"},
			{"title": "Login", "depends_on": ["Model", "Schema"], "run": "test -e b && echo c >c"}]}`),
		planned(`{"tasks": [{"title": "Docs", "run": "echo d >d"}]}`))
	eventually.Holds(t, "it is verified", v.is(fleet.Complete))
	if files := strings.Fields(git(t, v.Dir, "ls-tree", "--name-only", v.Info.Branch)); !strings.Contains(strings.Join(files, " "), "a b c d") {
		t.Errorf("the branch has %q", files)
	}
	for _, s := range v.Store.Snapshot().Tasks {
		want := "worker-"
		if s.Type() == tasks.Epic {
			want = fleet.Coordinator
		}
		if s.Internal() {
			continue
		}
		if !strings.HasPrefix(s.Owner, want) || s.Status != tasks.Completed || s.Attempts > 2 {
			t.Errorf("task %s: %s by %s, attempt %d", s.ID, s.Status, s.Owner, s.Attempts)
		}
	}
	more := api.EpicRequest{Text: planned(`{"tasks": [{"title": "More", "run": "echo e >e"}]}`), Priority: 2}
	if out, err := v.Captain.AddEpic(t.Context(), more); err != nil || out.Task != "3" {
		t.Fatal(out, err)
	}
	eventually.Holds(t, "the third epic is done", func() bool { return v.state("3") != nil && v.done("3")() })
	eventually.Holds(t, "it is verified again", v.is(fleet.Complete))
}

// TestSessionUnplanned has a planner hand in what cannot be used: it is told everything that is wrong, nothing is added, and after three times
// the captain is asked.
func TestSessionUnplanned(t *testing.T) {
	unplanned(t, `{"tasks": [{"title": "a", "depends_on": ["b"]}, {"title": "b", "depends_on": ["a"]}]}`)
}

func unplanned(t *testing.T, breakdown string) {
	t.Parallel()
	v := newSession(t, startHelm(t, helmtest.Hub(t)), 1, planned(breakdown))
	eventually.Holds(t, "it is on hold", func() bool { return v.state("1").OnHold })
	if all := v.Store.Snapshot().Tasks; len(all) > 2 { // including the hidden task
		t.Errorf("there are %d tasks", len(all))
	}
	eventually.Holds(t, "the captain is asked", func() bool {
		b := v.Board()
		return len(need.All(time.Now(), &b, need.Away{})) > 0
	})
}

// TestSessionRoles has ships ask for what is not theirs, and a planner ask twice. Without a planner the captain is asked for one.
func TestSessionRoles(t *testing.T) {
	t.Parallel()
	h := startHelm(t, helmtest.Hub(t))
	v := newSession(t, h, 1, "sleep 1000", planned(`{"tasks": [{"title": "x", "run": "echo x >x"}]}`))
	eventually.Holds(t, "the planner has the first epic", func() bool { return v.state("1").Owner == "planner-0" })
	planner, _ := v.ShipNamed("planner-0")
	worker, _ := v.ShipNamed("worker-0")
	ctx := t.Context()
	fails := func(what string, err error, want string) {
		t.Helper()
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v", what, err)
		}
	}
	claim := func(s *Ship, id string) error {
		_, err := s.claim(ctx, s.v.Requests.Claim, proto.ClaimRequest{Task: id})
		return err
	}
	complete := func(s *Ship, id string) (proto.Completed, error) {
		return s.v.Requests.Complete(ctx, s.Ship, proto.CompleteRequest{Claim: proto.Claim{Task: id, Epoch: 1}})
	}
	plan := func(s *Ship, task string, epoch uint64, json string) (proto.Planned, error) {
		return s.v.Requests.Plan(ctx, s.Ship, proto.PlanRequest{Claim: proto.Claim{Task: task, Epoch: epoch}, Tasks: []byte(json)})
	}
	// A task without end, so that the worker has nothing else to do.
	const parts = `{"tasks": [{"title": "a", "run": "sleep 1000"}]}`

	fails("an unknown task", claim(worker, "zzz"), "there is no task zzz")
	fails("a worker claims an epic", claim(worker, "2"), "is for a planner")
	fails("a worker claims any", claim(worker, ""), "no task can be claimed now")
	_, err := plan(worker, "1", 1, parts)
	fails("a worker plans", err, "planner-0")
	_, err = plan(planner, "2", 1, parts)
	fails("the planner plans what it does not hold", err, "do not hold task 2")
	_, err = complete(planner, "1")
	fails("the planner completes an epic", err, "ocaptain task plan")
	for range 2 {
		if p, err := plan(planner, "1", 1, parts); err != nil || p.Added != 1 || p.Task != "1" {
			t.Errorf("%+v, %v", p, err)
		}
	}
	_, err = plan(planner, "1", 1, `{"tasks": [{"title": "another"}]}`)
	fails("other parts", err, "broken down already")
	const more = `{"tasks": [{"title": "a", "run": "sleep 1000"}, {"title": "forged"}]}`
	_, err = plan(planner, "1", 1, more)
	fails("one part more", err, "broken down already")
	for epoch := range uint64(4) {
		_, err = plan(worker, "1", epoch, more)
		fails("a worker adds a part", err, "coordinator")
		_, err = plan(worker, "1", epoch, parts)
		fails("a worker hands in the same parts", err, "coordinator")
	}
	if c, err := complete(planner, "1"); err != nil || !c.Open {
		t.Errorf("%+v, %v", c, err)
	}
	_, err = complete(worker, "1")
	fails("a worker completes an epic", err, "coordinator")
	fails("an epic in parts", claim(planner, "1"), "not for ships")
	_, err = v.Captain.Requeue(ctx, api.RequeueRequest{Task: "1"})
	fails("an epic in parts is requeued", err, "requeue one of those")
	if all := v.Store.Snapshot().Tasks; len(all) > 4 { // including the hidden task
		t.Errorf("there are %d tasks", len(all))
	}

	if err := v.Fit.Remove(ctx, "planner-0", func(api.Progress) {}); err != nil {
		t.Fatal(err)
	}
	asks := func() bool {
		b := v.Board()
		return slices.ContainsFunc(need.All(time.Now(), &b, need.Away{}), func(n need.Need) bool { return n.Kind == fleet.NeedShips })
	}
	eventually.Holds(t, "the captain is asked for a planner", asks)
	if err := v.Fit.Add(ctx, api.AddRequest{Ships: 1}, func(api.Progress) {}); err != nil {
		t.Fatal(err)
	}
	eventually.Holds(t, "the second epic is planned", func() bool { return v.state("2").Owner == fleet.Coordinator })
	if asks() {
		t.Error("the captain is still asked")
	}
}
