package reports

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/clean"
	"ocaptain/fleet/proto"
	"ocaptain/fleet/resolve"
)

// Times of events on a ship are by the hub's clock, whatever the ship's says.
func TestHubTime(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)
	before := func(d time.Duration) time.Time { return now.Add(-d) }
	for _, tt := range []struct{ sent, at, want time.Time }{
		{now, before(time.Hour), before(time.Hour)},                                                  // told late
		{before(time.Second), before(time.Minute), before(time.Minute)},                              // on its way for a second
		{now.Add(26 * time.Hour), now.Add(25 * time.Hour), before(time.Hour)},                        // a clock that is ahead
		{before(26 * time.Hour), before(27 * time.Hour), before(time.Hour)},                          // a clock that is behind
		{now, time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC), now},                                      // a lie
		{time.Time{}, time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC), now},                              // and nothing to judge it by
		{time.Date(1, 1, 1, 0, 0, 1, 0, time.UTC), time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC), now}, // a worse one
	} {
		if got := HubTime(now, tt.sent, tt.at); !got.Equal(tt.want) {
			t.Errorf("%s, sent at %s: %s, want %s", tt.at, tt.sent, got, tt.want)
		}
	}
}

// A line is bounded, and data that is too large is left out.
func TestLine(t *testing.T) {
	at := time.Now()
	from := From{Ship: "ship-0", Role: fleet.Worker, Journal: "j", Turn: func(n int) int { return n - 10 }}
	raw := func(v any) json.RawMessage {
		data, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	for name, c := range map[string]struct {
		e    proto.Event
		want fleet.LogLine
	}{
		"a log":     {proto.Event{Kind: proto.KindLog, Data: raw(proto.Log{Kind: "say", Turn: 12, Task: "1", Text: "hello"})}, fleet.LogLine{Kind: "say", Turn: 2, Task: "1", Text: "hello"}},
		"a record":  {proto.Event{Kind: proto.KindUsage, Data: raw(1)}, fleet.LogLine{Kind: proto.KindUsage, Data: raw(1)}},
		"no log":    {proto.Event{Kind: proto.KindLog, Data: raw(1)}, fleet.LogLine{Kind: proto.KindLog, Data: raw(1)}},
		"too large": {proto.Event{Kind: proto.KindMail, Data: raw(strings.Repeat("x", maxData))}, fleet.LogLine{Kind: proto.KindMail}},
	} {
		c.want.At, c.want.Ship, c.want.Role, c.want.Journal = at, "ship-0", fleet.Worker, "j"
		if got := from.Line(c.e, at); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %+v", name, got)
		}
	}
	if l := from.Line(proto.Event{Kind: proto.KindLog, Data: raw(proto.Log{Text: strings.Repeat("x", 1<<20)})}, at); len(l.Text) > clean.MaxText+100 {
		t.Errorf("a text of %d bytes", len(l.Text))
	}
}

// What a line changes, by the state that was known.
func TestApply(t *testing.T) {
	at := time.Now()
	state := func(st proto.AgentState) fleet.LogLine {
		data, err := json.Marshal(st)
		if err != nil {
			t.Fatal(err)
		}
		return fleet.LogLine{At: at, Kind: proto.KindAgentState, Data: data}
	}
	const working, idle, starting, resting = proto.StateWorking, proto.StateIdle, proto.StateStarting, proto.StateResting
	for name, c := range map[string]struct {
		was          proto.State
		l            fleet.LogLine
		is           proto.State
		ended, turns bool
		acts         bool
	}{
		"words":                   {working, fleet.LogLine{Kind: "say"}, working, false, false, false},
		"a tool":                  {working, fleet.LogLine{Kind: "tool"}, working, false, false, true},
		"a tool, unknown before":  {"", fleet.LogLine{Kind: "tool"}, "", false, true, true},
		"it is started":           {resting, fleet.LogLine{Kind: proto.KindAgentStarted}, starting, false, true, true},
		"it works":                {idle, state(proto.AgentState{State: working}), working, false, true, true},
		"it works on":             {working, state(proto.AgentState{State: working}), working, false, false, true},
		"it is idle":              {working, state(proto.AgentState{State: idle}), idle, false, true, true},
		"it is idle, told late":   {working, state(proto.AgentState{State: idle, Late: true}), idle, false, true, true},
		"late, and it rests":      {resting, state(proto.AgentState{State: idle, Late: true}), resting, false, true, true},
		"no state":                {working, fleet.LogLine{Kind: proto.KindAgentState, Data: json.RawMessage("1")}, working, false, false, true},
		"it exits":                {working, fleet.LogLine{Kind: proto.KindAgentExited, Data: json.RawMessage(`{}`)}, working, false, false, true},
		"it exits and stays away": {working, fleet.LogLine{Kind: proto.KindAgentExited, Data: json.RawMessage(`{"final": true}`)}, working, true, false, true},
	} {
		k := resolve.Known{State: proto.AgentState{State: c.was}}
		c.l.At = at
		got := Apply(&k, c.l)
		if k.State.State != c.is || got.Ended != c.ended || got.Turns != c.turns || k.ActAt.IsZero() == c.acts || !k.EventAt.Equal(at) {
			t.Errorf("%s: it is %q, %+v, acts %s", name, k.State.State, got, k.ActAt)
		}
		if changed := c.was != c.is; changed != k.StateAt.Equal(at) {
			t.Errorf("%s: it is so since %s", name, k.StateAt)
		}
	}
	k := resolve.Known{}
	if c := Apply(&k, state(proto.AgentState{State: proto.StateLimited, Until: at.Add(2 * maxUntil)})); !c.State.Until.IsZero() || !k.State.Until.IsZero() {
		t.Errorf("a limit until %s is believed", c.State.Until)
	}
}
