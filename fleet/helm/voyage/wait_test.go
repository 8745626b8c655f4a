package voyage

import (
	"errors"
	"testing"

	"ocaptain/fleet/proto"
)

// A ship that was offered a task and is refused keeps no other ship from it.
func TestRefusalEndsOffers(t *testing.T) {
	t.Parallel()
	_, _, v, now := stoppedVoyage(t)
	all := map[string]*Ship{}
	for _, name := range []string{"ship-0", "ship-1", "ship-2"} {
		s, _ := fakeShip(t, v, name)
		s.report(now, proto.AgentState{State: proto.StateIdle})
		all[name] = s
	}
	for _, name := range []string{"ship-0", "ship-1"} {
		if act := all[name].verdictAt(now); act != proto.ActClaim {
			t.Fatalf("%s is told to %q", name, act)
		}
	}
	if act := all["ship-2"].verdictAt(now); act != "" {
		t.Fatalf("both tasks are offered, and a third ship is told to %q", act)
	}
	news := v.News.Next()
	_ = all["ship-0"].Refuse("1", errors.New("it is kept for another"))
	select {
	case <-news:
	default:
		t.Error("nobody is woken")
	}
	if act := all["ship-2"].verdictAt(now); act != proto.ActClaim {
		t.Errorf("after the refusal it is told to %q", act)
	}
}
