package helm

import (
	"encoding/json"
	"math"
	"testing"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/agent"
	"ocaptain/fleet/helm/shiplog"
	"ocaptain/fleet/proto"
	"ocaptain/tasks/eventually"
)

func tells(turn int, in, out int64, usd float64) proto.Usage {
	return proto.Usage{Turn: turn, Messages: turn, CostUSD: usd, Models: map[string]agent.Tokens{"m": {Input: in, Output: out}}}
}

// Totals are those of the newest machine and of all before it, each once.
func TestUsageAddsUpOverMachines(t *testing.T) {
	t.Parallel()
	u := &used{Built: 1}
	for _, step := range []struct {
		built   int
		journal string
		told    proto.Usage
		in      int64
		usd     float64
		turn    int
	}{
		{1, "a", tells(1, 10, 1, 0.5), 10, 0.5, 1},
		{1, "a", tells(2, 30, 2, 1), 30, 1, 2},
		{1, "a", tells(1, 20, 1, 0.5), 30, 1, 2},    // told again
		{1, "a2", tells(3, 40, 3, 2), 40, 2, 3},     // its journal has a new id, as after a crash
		{2, "a2", tells(4, 50, 3, 2), 50, 2, 4},     // the last words of the old machine
		{2, "b", tells(1, 5, 1, 0.25), 55, 2.25, 1}, // a new machine
		{2, "a2", tells(9, 99, 9, 9), 55, 2.25, 1},
		{2, "b", tells(2, 7, 1, 0.25), 57, 2.25, 2},
		{3, "c", tells(1, 1, 1, 0), 58, 2.25, 1},
	} {
		u.addReport(step.built, step.journal, step.told)
		if got := u.sum(); got.Input != step.in || got.CostUSD != step.usd || u.Turn != step.turn || got.Models["m"].Input != step.in {
			t.Errorf("after %+v: %+v, turn %d", step, got, u.Turn)
		}
	}
}

// A hostile ship can lie, but not break the sums.
func TestUsageOfAHostileShip(t *testing.T) {
	t.Parallel()
	u := &used{Built: 1}
	u.addReport(1, "a", tells(5, 10, 10, 1))
	many := map[string]agent.Tokens{}
	for i := range 1000 {
		many["\x1b[2J"+string(rune('a'+i%26))+string(rune('a'+i/26))] = agent.Tokens{Input: math.MaxInt64, Output: math.MinInt64}
	}
	for built := range 200 {
		many[string(rune('a'+built%26))+"-"+string(rune(built))] = agent.Tokens{Output: 1}
		u.addReport(built, string(rune(built)), proto.Usage{Turn: math.MaxInt, Messages: math.MinInt, CostUSD: math.MaxFloat64, Models: many})
		u.addReport(built, string(rune(built)), proto.Usage{Turn: math.MinInt, Messages: math.MaxInt, CostUSD: -math.MaxFloat64})
	}
	got := u.sum()
	if got.Input < 0 || got.Output < 0 || got.Sum() < 0 || got.CostUSD < 0 || got.CostUSD > 2*mostCost || got.Messages < 0 || len(got.Models) > 2*mostModels+2 || u.Turn < 0 {
		t.Errorf("it became %+v, turn %d", got, u.Turn)
	}
	sum := fleet.Usage{}
	for range 1000 { // ships
		sum = sum.Add(got)
	}
	if sum.Sum() < 0 || math.IsInf(sum.CostUSD, 0) {
		t.Errorf("the sum is %+v", sum.Tokens)
	}
	for name := range got.Models {
		if name != cleanText(name, 200) {
			t.Errorf("model %q", name)
		}
	}
	if _, err := json.Marshal(got); err != nil {
		t.Error(err)
	}
}

// What was used is there after helm was killed, counted once, whatever of it was written.
func TestUsageSurvivesHelm(t *testing.T) {
	t.Parallel()
	hub := newHub(t)
	d := newVoyage(t, hub, fleet.Voyage{}, "#!/bin/sh\n")
	open := func(built int) (*voyage, *ship) {
		v := openIt(t, startHelm(t, hub), d)
		s := newShip(v, &fleet.Ship{Name: "ship-0", Number: 0, Built: built, Provider: "local", Agent: "claude"})
		changes(v, func() { v.fleet.Ships = []*fleet.Ship{&s.known.Ship} })
		logs, err := shiplog.Open(d.LogFile("ship-0"))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(logs.Close)
		s.logs = logs
		s.restore()
		return v, s
	}
	seq := int64(0)
	send := func(s *ship, u proto.Usage) {
		t.Helper()
		raw, err := json.Marshal(u)
		if err != nil {
			t.Fatal(err)
		}
		seq += 100
		if _, err := s.events(t.Context(), proto.Events{Events: []proto.Event{{Seq: seq, At: time.Now(), Kind: proto.KindUsage, Data: raw}}}); err != nil {
			t.Fatal(err)
		}
	}
	check := func(v *voyage, in int64, turn int) {
		t.Helper()
		if b := v.currentBoard(); b.Usage.Input != in || b.Ships[0].Usage.Input != in || b.Ships[0].Turn != turn {
			t.Errorf("the board has %+v, turn %d; want %d, %d", b.Usage, b.Ships[0].Turn, in, turn)
		}
	}
	v, s := open(1)
	s.logs.ResumeAt("a", 1000)
	send(s, tells(1, 10, 1, 1))
	check(v, 10, 1)
	eventually.Holds(t, "the summary", func() bool { // helm saves it
		sum, err := fleet.ReadSummary(v.dir)
		return err == nil && sum.Usage.Input == 10 && sum.Usage.CostUSD == 1
	})
	send(s, tells(2, 20, 1, 1)) // in the log, and not in usage.json
	kill := func() {            // nothing is written at its end
		changes(v, func() { v.usedDirty = false })
		v.helm.close()
	}
	kill()
	v, _ = open(1)
	check(v, 20, 2)
	v.saveUsage()
	kill()

	// A new machine, and helm killed before it could write that down.
	v, s = open(2)
	check(v, 20, 0)
	s.logs.ResumeAt("b", 0)
	seq = 0
	send(s, tells(1, 5, 1, 1))
	check(v, 25, 1)
	kill()
	v, _ = open(2)
	check(v, 25, 1)
	v.saveUsage()
	kill()
	v, _ = open(2)
	check(v, 25, 1)

	// A ship that is gone has used what it used; and the logs tell it when the file is damaged.
	changes(v, func() { v.fleet.Ships = nil })
	if b := v.currentBoard(); b.Usage.Input != 25 {
		t.Errorf("the board has %+v", b.Usage)
	}
	kill()
	if err := fleet.Save(d.UsageFile(), []int{1}, 0o644); err != nil {
		t.Fatal(err)
	}
	if b := openIt(t, startHelm(t, hub), d).currentBoard(); b.Usage.Input != 25 {
		t.Errorf("the board has %+v", b.Usage)
	}
}
