package voyage

import (
	"strings"
	"testing"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/helm/helmtest"
	"ocaptain/fleet/helm/kind"
	"ocaptain/tasks"
	"ocaptain/tasks/eventually"
)

// The work of a task is taken back, and the task is done again by a ship that is told why. What depends on it stays, or is reverted with it.
func TestRevert(t *testing.T) {
	t.Parallel()
	hub := helmtest.Hub(t)
	d := helmtest.Voyage(t, hub, fleet.Voyage{}, "#!/bin/sh\n",
		helmtest.Task("1", "echo $(date +%N) >one"), after(helmtest.Task("2", "cp one two"), "1"), after(helmtest.Task("3", "echo 3 >three"), "1"), helmtest.Task("4", "sleep 1; echo 4 >four"))
	h := startHelm(t, hub)
	v := openIt(t, h, d)
	sinkAfter(t, h, d)
	if err := v.Fit.ProvisionFirst(t.Context(), api.SailRequest{Ships: 1}, func(api.Progress) {}); err != nil {
		t.Fatal(err)
	}
	eventually.Holds(t, "all is verified", v.is(fleet.Complete))
	was := map[string]tasks.State{}
	for _, s := range v.Store.Snapshot().Tasks {
		was[s.ID] = *s
	}
	revert := func(r api.RevertRequest) (api.Reverted, error) { return v.Captain.Revert(t.Context(), r) }
	look, err := revert(api.RevertRequest{Task: "1"})
	if err != nil || len(look.Tasks) != 1 || look.Tasks[0].Files != 1 || strings.Join(look.Stay, " ") != "2 3" || v.state("1").Status != tasks.Completed {
		t.Fatalf("%+v, %v", look, err)
	}
	if _, err := revert(api.RevertRequest{Task: "1", Dependents: true, Tasks: []string{"1"}}); err == nil || !strings.Contains(err.Error(), "look again") {
		t.Error(err)
	}
	if _, err := revert(api.RevertRequest{Task: "9"}); err == nil || !strings.Contains(err.Error(), "no task 9") {
		t.Error(err)
	}
	look, err = revert(api.RevertRequest{Task: "1", Dependents: true})
	if err != nil || len(look.Tasks) != 3 || look.Tasks[2].Task != "1" {
		t.Fatalf("%+v, %v", look, err)
	}
	var ids []string
	for _, is := range look.Tasks {
		ids = append(ids, is.Task)
	}
	if _, err := revert(api.RevertRequest{Task: "1", Dependents: true, Tasks: ids, Why: "too slow"}); err != nil {
		t.Fatal(err)
	}
	eventually.Holds(t, "all is done again", func() bool {
		one, two, three := v.state("1"), v.state("2"), v.state("3")
		return one.Commit != "" && one.Commit != was["1"].Commit && two.Commit != "" && two.Epoch > was["2"].Epoch && three.Commit != "" && three.Epoch > was["3"].Epoch
	})
	eventually.Holds(t, "all is verified again", v.is(fleet.Complete))
	if four := v.state("4"); four.Commit != was["4"].Commit || v.state("1").Attempts != 2 {
		t.Errorf("4 is %+v, 1 is %+v", four, v.state("1"))
	}
	if n := strings.Count(git(t, d, "log", "--format=%s"), "Revert"); n != 3 {
		t.Errorf("there are %d reverts", n)
	}
}

// A helm that ended between the commit that takes work back and its record opens the task again, once, and does not take the work for merged.
func TestRevertOverRestart(t *testing.T) {
	t.Parallel()
	hub := helmtest.Hub(t)
	d := helmtest.Voyage(t, hub, fleet.Voyage{}, "#!/bin/sh\n", helmtest.Task("1", "echo 1 >one"), after(helmtest.Task("2", "echo 2 >two"), "1"))
	h := startHelm(t, hub)
	v := openIt(t, h, d)
	if err := v.Fit.ProvisionFirst(t.Context(), api.SailRequest{Ships: 1}, func(api.Progress) {}); err != nil {
		t.Fatal(err)
	}
	eventually.Holds(t, "all is verified", v.is(fleet.Complete))
	for _, s := range v.Store.Snapshot().Tasks {
		if _, err := v.Work.Revert(t.Context(), s.Commit, kind.Revert(d.ID(), s, "not wanted")); err != nil {
			t.Fatal(err)
		}
	}
	h.Close()
	h = startHelm(t, hub)
	v = openStill(t, h, d)
	for _, s := range v.Store.Snapshot().Tasks {
		if s.Status != tasks.Pending || s.Commit != "" || !strings.Contains(s.Reason, "reverted by the captain") {
			t.Errorf("task %s: %+v", s.ID, s)
		}
	}
	h.Close()
	h = startHelm(t, hub)
	v = openIt(t, h, d)
	eventually.Holds(t, "all is done again", func() bool { return v.state("1").Commit != "" && v.state("2").Commit != "" })
	h.Close()
	h = startHelm(t, hub)
	sinkAfter(t, h, d)
	v = openStill(t, h, d)
	for _, s := range v.Store.Snapshot().Tasks {
		if s.Status != tasks.Completed {
			t.Errorf("opened once more, task %s is %s", s.ID, s.Status)
		}
	}
}

// Where a later task changed the same lines, a new task takes the work back, and the reverted task waits for the new one.
func TestRevertConflict(t *testing.T) {
	t.Parallel()
	hub := helmtest.Hub(t)
	d := helmtest.Voyage(t, hub, fleet.Voyage{}, "#!/bin/sh\n", helmtest.Task("1", "echo 1 >list"), after(helmtest.Task("2", "echo 2 >list"), "1"))
	h := startHelm(t, hub)
	v := openIt(t, h, d)
	sinkAfter(t, h, d)
	if err := v.Fit.ProvisionFirst(t.Context(), api.SailRequest{Ships: 1}, func(api.Progress) {}); err != nil {
		t.Fatal(err)
	}
	eventually.Holds(t, "all is verified", v.is(fleet.Complete))
	if _, err := v.Captain.Requeue(t.Context(), api.RequeueRequest{Task: "2", Hold: true}); err == nil {
		t.Error("what is completed is held")
	}
	done, err := v.Captain.Revert(t.Context(), api.RevertRequest{Task: "1", Tasks: []string{"1"}, Why: "not 1"})
	if err != nil || done.ByHand == "" || len(done.Tasks[0].Since) != 1 || done.Tasks[0].Since[0].Task != "2" {
		t.Fatalf("%+v, %v", done, err)
	}
	s := v.state(done.ByHand)
	for _, want := range []string{"not 1", "list", v.state("2").Commit} {
		if !strings.Contains(s.Description, want) {
			t.Errorf("no %q in %s", want, s.Description)
		}
	}
	if one := v.state("1"); one.Status == tasks.Completed || strings.Join(one.BlockedBy, " ") != done.ByHand {
		t.Errorf("1 is %+v", one)
	}
}

// A part of an epic is done again in a session that was complete, and the epic with it.
func TestRevertInSession(t *testing.T) {
	t.Parallel()
	h := startHelm(t, helmtest.Hub(t))
	v := newSession(t, h, 1, planned(`{"tasks": [{"title": "Docs", "run": "date +%N >d"}]}`))
	eventually.Holds(t, "the session is complete", v.is(fleet.Complete))
	var part *tasks.State
	for _, s := range v.Store.Snapshot().Tasks {
		if s.Parent() != "" && s.Commit != "" {
			part = s
		}
	}
	if part == nil {
		t.Fatal("no part was merged")
	}
	if _, err := v.Captain.Revert(t.Context(), api.RevertRequest{Task: part.ID, Tasks: []string{part.ID}, Why: "another way"}); err != nil {
		t.Fatal(err)
	}
	if s := v.state(part.Parent()); s.Status == tasks.Completed {
		t.Errorf("the whole is %s", s.Status)
	}
	eventually.Holds(t, "it is done again", func() bool { s := v.state(part.ID); return s.Commit != "" && s.Epoch > part.Epoch })
	eventually.Holds(t, "the session is complete again", v.is(fleet.Complete))
	if s := v.state(part.Parent()); s.Status != tasks.Completed || s.Owner != fleet.Coordinator {
		t.Errorf("the whole is %+v", s)
	}
}
