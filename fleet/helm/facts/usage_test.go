package facts

import (
	"encoding/json"
	"math"
	"testing"

	"ocaptain/fleet/agent/agentlog"

	"ocaptain/fleet"
	"ocaptain/fleet/clean"
	"ocaptain/fleet/proto"
)

func tells(turn int, in, out int64, usd float64) proto.Usage {
	return proto.Usage{Turn: turn, Messages: turn, CostUSD: usd, Models: map[string]agentlog.Tokens{"m": {Input: in, Output: out}}}
}

// The sum has the totals of the newest machine and of all machines before it, each once.
func TestUsageAddsUpOverMachines(t *testing.T) {
	u := &Used{Built: 1}
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
		{1, "a", tells(1, 20, 1, 0.5), 30, 1, 2},    // repeated
		{1, "a2", tells(3, 40, 3, 2), 40, 2, 3},     // the journal has a new id, as after a crash
		{2, "a2", tells(4, 50, 3, 2), 50, 2, 4},     // the last report of the old machine
		{2, "b", tells(1, 5, 1, 0.25), 55, 2.25, 1}, // a new machine
		{2, "a2", tells(9, 99, 9, 9), 55, 2.25, 1},
		{2, "b", tells(2, 7, 1, 0.25), 57, 2.25, 2},
		{3, "c", tells(1, 1, 1, 0), 58, 2.25, 1},
	} {
		u.AddReport(step.built, step.journal, step.told)
		if got := u.Sum(); got.Input != step.in || got.CostUSD != step.usd || u.Turn != step.turn || got.Models["m"].Input != step.in {
			t.Errorf("after %+v: %+v, turn %d", step, got, u.Turn)
		}
	}
}

// A hostile ship can report wrong numbers, but cannot make sums overflow.
func TestUsageOfAHostileShip(t *testing.T) {
	u := &Used{Built: 1}
	u.AddReport(1, "a", tells(5, 10, 10, 1))
	many := map[string]agentlog.Tokens{}
	for i := range 1000 {
		many["\x1b[2J"+string(rune('a'+i%26))+string(rune('a'+i/26))] = agentlog.Tokens{Input: math.MaxInt64, Output: math.MinInt64}
	}
	for built := range 200 {
		many[string(rune('a'+built%26))+"-"+string(rune(built))] = agentlog.Tokens{Output: 1}
		u.AddReport(built, string(rune(built)), proto.Usage{Turn: math.MaxInt, Messages: math.MinInt, CostUSD: math.MaxFloat64, Models: many, Conversation: proto.Conversation{Tokens: math.MinInt64, Window: math.MaxInt64}})
		if p := u.Conversation.Percent(); p != 0 || u.Conversation.Window != mostTokens {
			t.Errorf("its conversation: %+v", u.Conversation)
		}
		u.AddReport(built, string(rune(built)), proto.Usage{Turn: math.MinInt, Messages: math.MaxInt, CostUSD: -math.MaxFloat64})
	}
	got := u.Sum()
	if got.Input < 0 || got.Output < 0 || got.Sum() < 0 || got.CostUSD < 0 || got.CostUSD > 2*mostCost || got.Messages < 0 || len(got.Models) > 2*mostModels+2 || u.Turn < 0 {
		t.Errorf("it became %+v, turn %d", got, u.Turn)
	}
	sum := fleet.Usage{}
	for range 1000 { // once per ship
		sum = sum.Add(got)
	}
	if sum.Sum() < 0 || math.IsInf(sum.CostUSD, 0) {
		t.Errorf("the sum is %+v", sum.Tokens)
	}
	for name := range got.Models {
		if name != clean.Word(name) {
			t.Errorf("model %q", name)
		}
	}
	if _, err := json.Marshal(got); err != nil {
		t.Error(err)
	}
}

// What both transcripts and telemetry report counts once.
func TestCostOfBoth(t *testing.T) {
	u := &Used{}
	u.Past.CostUSD, u.Now.CostUSD = 1, 2
	for _, tt := range []struct{ exported, want float64 }{{0, 3}, {2, 3}, {4, 4}, {3.5, 4}, {1e300, mostCost}} {
		if u.AddExported(tt.exported); u.Cost() != tt.want {
			t.Errorf("$3 by transcripts and $%g by telemetry cost $%g, want $%g", tt.exported, u.Cost(), tt.want)
		}
	}
}
