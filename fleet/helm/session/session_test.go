package session

import (
	"slices"
	"strings"
	"testing"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/kind"
	"ocaptain/fleet/helm/plan"
	"ocaptain/tasks"
)

func task(id string, status tasks.Status, metadata map[string]any, blockedBy ...string) *tasks.State {
	return &tasks.State{Task: tasks.Task{ID: id, Status: status, Metadata: metadata, BlockedBy: blockedBy}}
}

func epic(id string, status tasks.Status) *tasks.State {
	return task(id, status, map[string]any{"type": tasks.Epic})
}

func of(parent string) map[string]any { return map[string]any{"parent": parent} }

// TestDecisions checks who may claim what, which epics are decomposed and which are done, and what happens when a ship says that a task is
// done.
func TestDecisions(t *testing.T) {
	fresh, broken, over := epic("1", tasks.Pending), epic("2", tasks.InProgress), epic("3", tasks.InProgress)
	all := tasks.NewSnapshot(1, []*tasks.State{
		fresh, broken, over,
		task("2-1", tasks.Completed, of("2")), task("2-2", tasks.Pending, of("2")), task("2-3", tasks.Pending, of("2"), "2-2"),
		task("3-1", tasks.Completed, of("3")), epic("4", tasks.Pending), task("4-1", tasks.InProgress, of("4")),
	}, nil)
	s := Session{}
	view := s.Look(all)
	for role, want := range map[string][]string{fleet.Planner: {"1"}, fleet.Worker: {"2-2"}, "validator": nil} {
		if ids := slices.Collect(view.Ready(kind.Ship{Name: "x", Role: role}, time.Now())); !slices.Equal(ids, want) {
			t.Errorf("a %s may claim %q", role, ids)
		}
		if id, err := view.Best(kind.Ship{Name: "x", Role: role}, time.Now()); (err == nil) != (want != nil) || err == nil && id != want[0] {
			t.Errorf("the best task of a %s is %q, %v", role, id, err)
		}
	}
	for _, role := range []string{fleet.Worker, fleet.Planner} {
		for _, one := range []*tasks.State{fresh, all.Task("2-2")} {
			err := view.Allow(kind.Ship{Name: "x", Role: role}, one)
			if mine := (one == fresh) == (role == fleet.Planner); (err == nil) != mine {
				t.Errorf("a %s that asks for %s gets %v", role, one.ID, err)
			}
		}
	}
	parents := ""
	for _, p := range s.Parents(all) {
		if parents += p.Task.ID; p.Done {
			parents += " done"
		}
		parents += ","
	}
	if parents != "2,3 done,4," {
		t.Errorf("broken down are %s", parents)
	}
	no := &tasks.Refusal{Ready: []string{"1"}}
	if view.Suggest(no, kind.Ship{Name: "x", Role: fleet.Worker}, time.Now()); !slices.Equal(no.Ready, []string{"2-2"}) {
		t.Errorf("a worker is told of %q", no.Ready)
	}
	if err := view.Allow(kind.Ship{Role: fleet.Planner}, broken); err == nil || strings.Contains(err.Error(), "you are") {
		t.Errorf("an epic that is broken down: %v", err)
	}
	for _, c := range []struct{ id, role, want string }{
		{"1", fleet.Planner, "refused"}, {"2", fleet.Planner, "others go on"}, {"2", fleet.Worker, "refused"}, {"2-2", fleet.Worker, "merged"},
	} {
		outcome, err := s.Done(all, all.Task(c.id), c.role)
		got := []string{"merged", "handed in", "others go on"}[outcome]
		if err != nil {
			got = "refused"
		}
		if got != c.want {
			t.Errorf("%s: %s", c.id, got)
		}
	}
	if s.IsDone(all) || !s.IsDone(tasks.NewSnapshot(1, []*tasks.State{epic("1", tasks.Completed)}, nil)) {
		t.Error("it is done when all of it is")
	}
}

// TestDepth lets the owners of tasks decompose them, down to the greatest depth. A task is done when its parts are.
func TestDepth(t *testing.T) {
	s := Session{}
	at := func(depth int) *tasks.State {
		return task("1-1", tasks.InProgress, map[string]any{"parent": "1", "depth": float64(depth)})
	}
	for depth, may := range []bool{true, true, true, false} {
		if n := s.Plans(at(depth)); (n > 0) != may {
			t.Errorf("at depth %d it may be tried %d times", depth, n)
		}
	}
	for _, deepest := range []int{0, 1, 5} {
		s.Spec.MaxNestedDepth = &deepest
		if s.Plans(at(deepest)) == 0 || s.Plans(at(deepest+1)) > 0 {
			t.Errorf("with %d levels of subtasks, it may be tried %d and %d times", deepest, s.Plans(at(deepest)), s.Plans(at(deepest+1)))
		}
	}
	for _, deepest := range []int{0, 1, 5} {
		s.Spec.MaxNestedDepth = &deepest
		if s.Plans(at(deepest)) == 0 || s.Plans(at(deepest+1)) > 0 {
			t.Errorf("with %d levels of subtasks it may be tried %d and %d times", deepest, s.Plans(at(deepest)), s.Plans(at(deepest+1)))
		}
	}
	all := tasks.NewSnapshot(1, []*tasks.State{epic("1", tasks.InProgress), at(1), task("1-1-1", tasks.Completed, of("1-1"))}, nil)
	if out, err := s.Done(all, all.Task("1-1"), fleet.Worker); err != nil || out != kind.Open {
		t.Errorf("%v, %v", out, err)
	}
	if p := s.Parents(all); len(p) != 2 || p[1].Task.ID != "1-1" || !p[1].Done || p[0].Done {
		t.Errorf("%+v", p)
	}
}

func TestCrew(t *testing.T) {
	got := ""
	var roles []string
	for n := range 5 {
		name, role := Session{}.Crew(n, roles)
		if roles = append(roles, role); n == 2 {
			roles = roles[1:] // the planner is sunk
		}
		got += name + " " + role + ","
	}
	if got != "planner-0 planner,worker-0 worker,worker-1 worker,planner-0 planner,worker-3 worker," {
		t.Error(got)
	}
	s, got := Session{Plan: plan.Plan{Validators: 2}}, ""
	roles = nil
	for n := range 6 {
		name, role := s.Crew(n, roles)
		got += name + " " + role + ","
		if roles = append(roles, role); n == 3 {
			roles = slices.DeleteFunc(roles, func(role string) bool { return role == fleet.Validator })
		}
	}
	if got != "planner-0 planner,validator-0 validator,validator-2 validator,worker-0 worker,validator-0 validator,validator-5 validator," {
		t.Error(got)
	}
	s, got, roles = Session{Plan: plan.Plan{Validators: 1, Hub: 1}}, "", nil
	for n := range 4 {
		name, role := s.Crew(n, roles)
		got += name + " " + role + ","
		if roles = append(roles, role); n == 2 {
			roles = roles[1:] // the validator is sunk
		}
	}
	if got != "validator-2-0 validator,worker-2-0 worker,worker-2-1 worker,validator-2-0 validator," {
		t.Error(got)
	}
	s, got, roles = Session{Plan: plan.Plan{Validators: 1}, Spec: fleet.SessionSpec{Planners: 2}}, "", nil
	for n := range 6 {
		name, role := s.Crew(n, roles)
		got += name + " " + role + ","
		if roles = append(roles, role); n == 3 {
			roles = roles[1:] // a planner is sunk
		}
	}
	if got != "planner-0 planner,planner-1 planner,validator-0 validator,worker-0 worker,planner-4 planner,worker-2 worker," {
		t.Error(got)
	}
}
