package voyage

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/proto"
)

// tells applies a report of the ship's agent as it comes over the wire.
func (s *Ship) tells(t *testing.T, st proto.AgentState) {
	t.Helper()
	raw, err := json.Marshal(st)
	if err != nil {
		t.Fatal(err)
	}
	l := fleet.LogLine{At: time.Now(), Ship: s.Name, Kind: proto.KindAgentState, Data: raw}
	changes(s.v, func() { s.applyRecord(l) })
}

func (s *Ship) state() proto.AgentState {
	return reads(s.v, func() proto.AgentState { return s.known.State })
}

// A minute after a turn has ended Claude Code tells that its prompt is empty. How the
// turn ended stays true, whatever that was; only work ends by it.
func TestLateIdle(t *testing.T) {
	t.Parallel()
	_, _, v, _ := stoppedVoyage(t)
	s, ears := fakeShip(t, v, "ship-0")
	late := proto.AgentState{State: proto.StateIdle, Late: true}
	for name, st := range map[string]proto.AgentState{
		"a login that is refused": {State: proto.StateWaiting, Why: "its token or key is not accepted", Trouble: "person"},
		"an outage":               {State: proto.StateLimited, Why: "API overloaded", Trouble: "api"},
		"an error":                {State: proto.StateFailed, Why: "400 odd", Trouble: "turn"},
		"an interrupt":            {State: proto.StateWaiting, Why: proto.Interrupted},
		"the end":                 {State: proto.StateResting},
	} {
		s.tells(t, proto.AgentState{State: proto.StateWorking})
		s.tells(t, st)
		was := v.holdOf("claude")
		s.tells(t, late)
		if got := s.state(); got != st {
			t.Errorf("%s becomes %+v", name, got)
		}
		if now := v.holdOf("claude"); st.State == proto.StateLimited && (was == nil || now == nil || !reflect.DeepEqual(was, now)) {
			t.Errorf("%s: the hold %+v becomes %+v", name, was, now) // after the others helm ends it by itself
		}
		if st.State != proto.StateResting && reads(v, func() bool { return s.activity().Rests(time.Now().Add(time.Hour)) }) {
			t.Errorf("%s: it is roused", name)
		}
		for _, n := range reads(v, v.Notes.List) {
			if strings.HasPrefix(n.Text, "works again") {
				t.Errorf("%s: %s", name, n.Text)
			}
		}
	}
	if n := ears.count(); n != 0 {
		t.Errorf("it was told %d times", n)
	}

	// Work that the captain ended by hand, of a ship that tried after an outage: it is
	// idle now, and proves nothing.
	s.tells(t, proto.AgentState{State: proto.StateLimited, Why: "API overloaded", Trouble: "api"})
	s.tells(t, proto.AgentState{State: proto.StateWorking})
	s.tells(t, late)
	if got := s.state(); got != late {
		t.Errorf("work ends as %+v", got)
	}
	if h, back := v.holdOf("claude"), reads(v, func() bool { return s.limit.HeldBack }); h != nil && h.Free || back {
		t.Errorf("the hold is %+v; held back %t", h, back)
	}
}
