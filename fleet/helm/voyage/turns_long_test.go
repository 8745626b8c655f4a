//go:build long

package voyage

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/helmtest"
	"ocaptain/fleet/proto"
	"ocaptain/tasks"
	"ocaptain/tasks/eventually"
)

// TestMaxTurns has an agent take as many turns for a task as it may: its work is kept, and it goes on with it, until it has done so too often.
func TestMaxTurns(t *testing.T) {
	t.Parallel()
	m := &simulation{epics: 2, parts: 2, workers: 2, validators: 1, home: helmtest.Hub(t).Home, t: t}
	m.create()
	m.lives = make(chan struct{})
	m.open()
	t.Cleanup(m.close)
	v := m.life.v
	on := func(name string) *Ship {
		s, err := v.ShipNamed(name)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	taken := 0
	takes := func(s *Ship, turns int) {
		taken += turns
		raw, _ := json.Marshal(proto.Usage{Turn: taken})
		changes(v, func() {
			s.applyRecord(fleet.LogLine{Kind: "say", Text: "I am at part two"})
			s.applyRecord(fleet.LogLine{Kind: proto.KindUsage, Data: raw})
		})
	}
	claim := func(s *Ship, task string) (g proto.Grant) {
		t.Helper()
		eventually.Holds(t, s.Name+" has task "+task, func() (ok bool) {
			var err error
			g, err = s.claim(t.Context(), s.v.Requests.Claim, proto.ClaimRequest{Task: task})
			return err == nil
		})
		return g
	}
	planner, worker, other := on("planner-0"), on("worker-1"), on("worker-0")
	claim(planner, "1")
	takes(planner, 35)
	eventually.Holds(t, "the planner is interrupted", func() bool { return v.state("1").Resumes == 1 })
	taken = 0
	epic := claim(planner, "1")
	if _, err := planner.v.Requests.Plan(t.Context(), planner.Ship, proto.PlanRequest{Claim: proto.Claim{Task: "1", Epoch: epic.Epoch}, Tasks: []byte(`{"tasks": [{"title": "a"}]}`)}); err != nil {
		t.Fatal(err)
	}

	claim(worker, "1-1")
	if err := os.WriteFile(filepath.Join(m.newestTree("worker-1"), "half"), []byte("one half\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	takes(worker, 49)
	b := v.Board()
	if is := viewOf(b, "worker-1"); is.Turn != 49 || is.MaxTurns != 50 || v.state("1-1").Owner != "worker-1" {
		t.Errorf("after 49 turns it is at %d of %d", is.Turn, is.MaxTurns)
	}
	takes(worker, 1)
	eventually.Holds(t, "its claim ends", func() bool { return v.state("1-1").Resumes == 1 })
	is := v.state("1-1")
	for _, want := range []string{"max_turns", "50 turns of 50", "time 1 of 5", "I am at part two"} {
		if !strings.Contains(is.Reason, want) {
			t.Errorf("the reason %q lacks %q", is.Reason, want)
		}
	}
	if is.ReservedFor != "worker-1" || is.NotBefore.IsZero() || is.Draft == "" {
		t.Errorf("it is %+v", is)
	}
	if _, err := other.claim(t.Context(), other.v.Requests.Claim, proto.ClaimRequest{Task: "1-1"}); err == nil {
		t.Error("another has got it")
	}
	if _, err := worker.v.Requests.Complete(t.Context(), worker.Ship, proto.CompleteRequest{Claim: proto.Claim{Task: "1-1", Epoch: is.Epoch}}); err == nil {
		t.Error("it is completed all the same")
	}
	g := claim(worker, "1-1")
	if raw, err := os.ReadFile(filepath.Join(m.newestTree("worker-1"), "half")); err != nil || string(raw) != "one half\n" {
		t.Errorf("its work is %q, %v", raw, err)
	}
	if notes := strings.Join(g.Notes, "\n"); !strings.Contains(notes, "you go on with task 1-1") || !strings.Contains(notes, "in your tree") {
		t.Errorf("it is told\n%s", notes)
	}
	for range 4 { // of 5
		s := v.state("1-1")
		if err := v.Store.Requeue(t.Context(), tasks.Requeue{Task: "1-1", Epoch: s.Epoch, GoesOn: true, Work: s.Draft, For: "worker-1"}); err != nil {
			t.Fatal(err)
		}
		claim(worker, "1-1")
	}
	takes(worker, 50)
	eventually.Holds(t, "the captain is asked", func() bool { return v.state("1-1").OnHold })
	if s := v.state("1-1"); !strings.Contains(s.Reason, "gone on 5 times") || s.Draft == "" {
		t.Errorf("it is %+v", s)
	}
	b = v.Board()
	if turn := viewOf(b, "worker-1").Turn; turn != 0 {
		t.Errorf("without a task it is in turn %d", turn)
	}
}
