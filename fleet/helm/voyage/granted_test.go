package voyage

import (
	"strings"
	"testing"

	"ocaptain/fleet/helm/helmtest"
	"ocaptain/fleet/proto"
	"ocaptain/tasks/eventually"
)

// TestGranted has agents claim, and claim again what they hold: each grant says what its ship needs to know.
func TestGranted(t *testing.T) {
	t.Parallel()
	m := &simulation{epics: 2, parts: 1, workers: 2, validators: 1, home: helmtest.Hub(t).Home, t: t, lives: make(chan struct{})}
	m.create()
	m.open()
	t.Cleanup(m.close)
	v := m.life.v
	claim := func(name, task string) (*Ship, proto.Claim, string) {
		t.Helper()
		s, err := v.ShipNamed(name)
		if err != nil {
			t.Fatal(err)
		}
		g, err := s.claim(t.Context(), s.v.Requests.Claim, proto.ClaimRequest{Task: task})
		if err != nil {
			t.Fatalf("%s claims task %s: %v", name, task, err)
		}
		return s, proto.Claim{Task: task, Epoch: g.Epoch}, strings.Join(g.Notes, "\n")
	}
	plan := func(name, task, parts string) {
		t.Helper()
		s, c, _ := claim(name, task)
		if _, err := s.v.Requests.Plan(t.Context(), s.Ship, proto.PlanRequest{Claim: c, Tasks: []byte(`{"tasks": [` + parts + `]}`)}); err != nil {
			t.Fatal(err)
		}
	}
	plan("planner-0", "1", `{"title": "The shop", "description": "a shop for kites"}`)
	plan("worker-0", "1-1", `{"title": "The till", "description": "a till that adds up", "verify": "test 1 = 1"}`)

	worker, c, notes := claim("worker-1", "1-1-1")
	if !strings.Contains(notes, "this command must succeed on it and the branch together: test 1 = 1") {
		t.Errorf("the worker is told\n%s", notes)
	}
	if _, err := worker.v.Requests.Complete(t.Context(), worker.Ship, proto.CompleteRequest{Claim: c, Summary: "it adds up"}); err != nil {
		t.Fatal(err)
	}
	eventually.Holds(t, "it can be reviewed", func() bool { h := v.state("1-1-1").HandIn; return h != nil && h.Checked != "" })
	for _, when := range []string{"first", "again"} {
		_, _, notes = claim("validator-0", "1-1-1")
		for _, want := range []string{"you review what worker-1 has handed in", "it adds up", "it is a part of task 1-1: The shop", "what was asked for: a till that adds up", "ocaptain task review approve|reject"} {
			if !strings.Contains(notes, want) {
				t.Errorf("%s: the validator is not told %q but\n%s", when, want, notes)
			}
		}
		if strings.Contains(notes, "the captain asked for") || strings.Contains(notes, "must succeed") {
			t.Errorf("%s: the validator is told\n%s", when, notes)
		}
	}
}
