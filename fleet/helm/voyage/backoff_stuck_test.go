package voyage

import (
	"testing"
	"time"

	"ocaptain/fleet/helm/facts"
	"ocaptain/fleet/helm/limits"
	"ocaptain/fleet/proto"
	"ocaptain/tasks/eventually"
	"ocaptain/tasks/journal"
)

// asksAt has the ship's agent ask at some time, and returns what it is told.
func (s *Ship) asksAt(now time.Time) (verdict proto.Verdict) {
	changes(s.v, func() { verdict, _ = s.verdict(now) })
	return verdict
}

func (s *Ship) verdictAt(now time.Time) proto.Act { return s.asksAt(now).Act }

// settled waits until nothing is being said to the ship any more.
func (s *Ship) settled(t *testing.T) {
	t.Helper()
	eventually.Holds(t, "silence", when(s.v, func() bool { return s.mail == 0 }))
}

// kept counts the records of holds in the voyage's journal.
func (v *Voyage) kept(t *testing.T) (n int) {
	t.Helper()
	v.Book.Flush()
	if _, err := journal.Read(v.Dir.Events(), 0, func(r journal.Record) error {
		if r.Kind == facts.KindHold {
			n++
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return n
}

// At the end of a limit, one held ship cannot be reached, one has lost its runner and one asks for
// a login. Another ship, which never met the limit, finds out whether it is over; if not, that ship
// tries again.
func TestHeldShipsThatCannotTry(t *testing.T) {
	t.Parallel()
	_, _, v, now := stoppedVoyage(t)
	cut, _ := fakeShip(t, v, "ship-0")
	dead, _ := fakeShip(t, v, "ship-1")
	asking, _ := fakeShip(t, v, "ship-2")
	idle, ears := fakeShip(t, v, "ship-3")
	other, _ := fakeShip(t, v, "ship-4")
	reset := now.Add(2 * time.Hour)
	limit := proto.AgentState{State: proto.StateLimited, Why: "weekly limit", Trouble: "usage", Until: reset}
	for _, s := range []*Ship{cut, dead, asking} {
		s.report(now, limit)
	}
	idle.report(now, proto.AgentState{State: proto.StateIdle})
	other.report(now, proto.AgentState{State: proto.StateIdle})
	conn := cut.Reach.Conn()
	cut.Reach.Greet(nil)
	changes(v, func() { dead.known.Pulse.Agent = false })
	asking.report(now.Add(time.Minute), proto.AgentState{State: proto.StateStarting})
	v.resumeAt(now.Add(time.Hour))
	if act := idle.verdictAt(now.Add(limits.FirstProbe)); act != "" {
		t.Errorf("a minute after three ships met the limit it is told to %s", act)
	}
	at := reset.Add(2 * time.Minute)
	v.resumeAt(at)
	if act := idle.verdictAt(at); act != proto.ActClaim {
		t.Fatalf("after the reset it is told to %q; the hold is %+v", act, v.holdOf("claude"))
	}
	written := v.kept(t)
	for range 100 {
		at = at.Add(5 * time.Second)
		v.resumeAt(at)
	}
	if n := v.kept(t) - written; n != 0 {
		t.Errorf("%d records of nothing new", n)
	}

	// It is not over: the next ship gets no work, and the ship that can tries.
	idle.report(at, proto.AgentState{State: proto.StateLimited, Why: "weekly limit", Trouble: "usage", Until: at.Add(time.Hour)})
	v.resumeAt(at.Add(time.Second))
	if act := other.verdictAt(at.Add(time.Second)); act != "" || ears.count() != 0 {
		t.Errorf("while the limit holds another is told to %q; told %d times", act, ears.count())
	}
	at = v.holdOf("claude").Next
	v.resumeAt(at)
	eventually.Holds(t, "the ship that can try is told", func() bool { return ears.count() == 1 })
	if h := v.holdOf("claude"); h.Free || h.Ship != "ship-3" {
		t.Errorf("the hold is %+v", h)
	}

	// When one of the others is back it follows.
	idle.report(at, proto.AgentState{State: proto.StateWorking, Tool: "Bash"})
	cut.Reach.Greet(conn)
	v.resumeAt(at.Add(time.Minute))
	if !reads(v, func() bool { return cut.limit.Tried.Equal(at.Add(time.Minute)) }) {
		t.Error("the ship that is back is not told")
	}
	cut.settled(t)
}

func (s *Ship) forgiven() {
	changes(s.v, s.forgive)
}
