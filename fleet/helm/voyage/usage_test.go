package voyage

import (
	"encoding/json"
	"os"
	"testing"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/agent/agentlog"
	"ocaptain/fleet/helm/helmtest"
	"ocaptain/fleet/helm/shiplog"
	"ocaptain/fleet/proto"
	"ocaptain/fleet/summed"
	"ocaptain/tasks/eventually"
)

func tells(turn int, in, out int64, usd float64) proto.Usage {
	return proto.Usage{Turn: turn, Messages: turn, CostUSD: usd, Models: map[string]agentlog.Tokens{"m": {Input: in, Output: out}}}
}

// What was used is there after helm was killed, counted once, whatever of it was written.
func TestUsageSurvivesHelm(t *testing.T) {
	t.Parallel()
	hub := helmtest.Hub(t)
	d := helmtest.Voyage(t, hub, fleet.Voyage{}, "#!/bin/sh\n")
	var h *helm
	open := func(built int) (*Voyage, *Ship) {
		h = startHelm(t, hub)
		v := openIt(t, h, d)
		s := newShip(v, &fleet.Ship{Name: "ship-0", Number: 0, Built: built, Provider: "local", Agent: "claude"})
		v.Roster.Alter(func(f *fleet.Fleet) { f.Ships = []*fleet.Ship{record(s)} })
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
	send := func(s *Ship, u proto.Usage) {
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
	check := func(v *Voyage, in int64, turn int) {
		t.Helper()
		if b := v.Board(); b.Usage.Input != in || b.Ships[0].Usage.Input != in || b.Ships[0].Turn != turn {
			t.Errorf("the board has %+v, turn %d; want %d, %d", b.Usage, b.Ships[0].Turn, in, turn)
		}
	}
	v, s := open(1)
	s.logs.ResumeAt("a", 1000)
	send(s, tells(1, 10, 1, 1))
	check(v, 10, 1)
	eventually.Holds(t, "the summary", func() bool { // helm saves it
		sum, err := fleet.ReadSummary(v.Dir)
		return err == nil && sum.Usage.Input == 10 && sum.Usage.CostUSD == 1
	})
	send(s, tells(2, 20, 1, 1)) // in the log, and not in usage.json
	kill := func() {            // nothing is written at its end
		raw, err := os.ReadFile(d.UsageFile())
		h.Close()
		if err == nil {
			err = os.WriteFile(d.UsageFile(), raw, 0o600)
		} else if os.IsNotExist(err) {
			err = os.RemoveAll(d.UsageFile())
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	kill()
	v, _ = open(1)
	check(v, 20, 2)
	v.Spending.Save()
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
	v.Spending.Save()
	kill()
	v, _ = open(2)
	check(v, 25, 1)

	// A ship that is gone has used what it used; and the logs tell it when the file is damaged.
	v.Roster.Alter(func(f *fleet.Fleet) { f.Ships = nil })
	if b := v.Board(); b.Usage.Input != 25 {
		t.Errorf("the board has %+v", b.Usage)
	}
	kill()
	if err := summed.Write(d.UsageFile(), []int{1}, 0o644); err != nil {
		t.Fatal(err)
	}
	if b := openIt(t, startHelm(t, hub), d).Board(); b.Usage.Input != 25 {
		t.Errorf("the board has %+v", b.Usage)
	}
}
