package helm

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/aboard"
)

// tells applies a report of the ship's agent as it comes over the wire.
func (s *ship) tells(t *testing.T, st aboard.AgentState) {
	t.Helper()
	raw, err := json.Marshal(st)
	if err != nil {
		t.Fatal(err)
	}
	s.v.mu.Lock()
	defer s.v.mu.Unlock()
	s.apply(fleet.LogLine{At: time.Now(), Ship: s.name, Kind: aboard.KindAgentState, Data: raw})
}

func (s *ship) state() aboard.AgentState {
	s.v.mu.Lock()
	defer s.v.mu.Unlock()
	return s.known.State
}

// A minute after a turn has ended Claude Code tells that its prompt is empty. How the
// turn ended stays true, whatever that was; only work ends by it.
func TestLateIdle(t *testing.T) {
	_, _, v, _ := stoppedVoyage(t)
	s, ears := fakeShip(t, v, "ship-0")
	late := aboard.AgentState{State: aboard.StateIdle, Late: true}
	for name, st := range map[string]aboard.AgentState{
		"a login that is refused": {State: aboard.StateWaiting, Why: "its token or key is not accepted", Trouble: "person"},
		"an outage":               {State: aboard.StateLimited, Why: "API overloaded", Trouble: "api"},
		"an error":                {State: aboard.StateFailed, Why: "400 odd", Trouble: "turn"},
		"an interrupt":            {State: aboard.StateWaiting, Why: aboard.Interrupted},
		"the end":                 {State: aboard.StateResting},
	} {
		s.tells(t, aboard.AgentState{State: aboard.StateWorking})
		s.tells(t, st)
		was := v.holdOf("claude")
		s.tells(t, late)
		if got := s.state(); got != st {
			t.Errorf("%s becomes %+v", name, got)
		}
		if now := v.holdOf("claude"); st.State == aboard.StateLimited && (was == nil || now == nil || !reflect.DeepEqual(was, now)) {
			t.Errorf("%s: the hold %+v becomes %+v", name, was, now) // after the others helm ends it by itself
		}
		v.mu.Lock()
		if st.State != aboard.StateResting && s.rests(time.Now().Add(time.Hour)) {
			t.Errorf("%s: it is roused", name)
		}
		for _, n := range v.notes.list() {
			if strings.HasPrefix(n.Text, "works again") {
				t.Errorf("%s: %s", name, n.Text)
			}
		}
		v.mu.Unlock()
	}
	if n := ears.count(); n != 0 {
		t.Errorf("it was told %d times", n)
	}

	// Work that the captain ended by hand, of a ship that tried after an outage: it is
	// idle now, and proves nothing.
	s.tells(t, aboard.AgentState{State: aboard.StateLimited, Why: "API overloaded", Trouble: "api"})
	s.tells(t, aboard.AgentState{State: aboard.StateWorking})
	s.tells(t, late)
	if got := s.state(); got != late {
		t.Errorf("work ends as %+v", got)
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if h := v.holds["claude"]; h != nil && h.Free || s.heldBack {
		t.Errorf("the hold is %+v; held back %t", h, s.heldBack)
	}
}
