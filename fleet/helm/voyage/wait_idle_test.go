package voyage

import (
	"context"
	"slices"
	"testing"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/facts"
	"ocaptain/fleet/proto"
	"ocaptain/fleet/resolve"
	"ocaptain/tasks"
	"ocaptain/tasks/eventually"
)

// An agent that ends its turn again and again with its task undone is left alone, and
// the captain is told.
func TestLeftAlone(t *testing.T) {
	t.Parallel()
	_, _, v, now := stoppedVoyage(t)
	s, _ := fakeShip(t, v, "ship-0")
	if _, err := v.Store.Claim(context.Background(), "ship-0", "1"); err != nil {
		t.Fatal(err)
	}
	eventually.Holds(t, "the claim", func() bool { h := v.Store.Snapshot().Held("ship-0"); return h != nil })
	for n := range facts.MaxPrompts + 2 {
		verdict := s.asksAt(now)
		if back := verdict.Act == proto.ActContinue; back != (n < facts.MaxPrompts) {
			t.Errorf("turn %d: %+v", n, verdict)
		}
	}
	k := reads(v, func() resolve.Known { return s.knownNow(record(s)) })
	k.Ship.Phase, k.Connected, k.State.State, k.Held, k.EventAt = fleet.Afloat, true, proto.StateIdle, "1", now
	if got := resolve.Status(now, k); got.Word != fleet.Stalled {
		t.Errorf("it is %+v", got)
	}
	eventually.Holds(t, "the note", func() bool {
		return slices.ContainsFunc(reads(v, v.Notes.List), func(n fleet.Note) bool { return n.Task == "1" && n.Ship == "ship-0" })
	})
}

// Another ship hears of ready tasks once an agent has heard of them again and again and claimed none, until the captain writes
// to it.
func TestIgnored(t *testing.T) {
	t.Parallel()
	_, _, v, now := stoppedVoyage(t)
	s, _ := fakeShip(t, v, "ship-0")
	other, _ := fakeShip(t, v, "ship-1")
	told := 0
	for range facts.MaxPrompts + 1 {
		if s.verdictAt(now) == proto.ActClaim {
			told++
		}
	}
	if told != facts.MaxPrompts {
		t.Errorf("told %d times", told)
	}
	if got := other.asksAt(now); got.Act != proto.ActClaim || len(got.Ready) != 2 {
		t.Errorf("another ship is offered %+v", got)
	}
	ignored := reads(v, func() int { return s.prompts.Ignored() })
	s.forgiven()
	if ignored != facts.MaxPrompts || s.verdictAt(now) != proto.ActClaim {
		t.Errorf("ignored %d times; still not told", ignored)
	}
}

// An agent that goes on and on without a task hears of a waiting task, even when its turns for that were used up.
func TestNeglected(t *testing.T) {
	t.Parallel()
	_, _, v, now := stoppedVoyage(t)
	s, _ := fakeShip(t, v, "ship-0")
	is := func(at time.Time, task string, since time.Time) {
		t.Helper()
		var is facts.Idle
		var got string
		changes(v, func() { is, got = s.idleNow(at, v.Look()); s.idle = is })
		if got != task || !is.Neglects.Equal(since) {
			t.Errorf("it neglects %q since %s", got, is.Neglects)
		}
	}
	is(now, "", time.Time{})
	s.report(now, proto.AgentState{State: proto.StateWorking})
	is(now, "1", now)
	is(now.Add(time.Minute), "1", now)
	g, err := v.Store.Claim(t.Context(), "ship-0", "1")
	if err != nil {
		t.Fatal(err)
	}
	is(now.Add(time.Hour), "", time.Time{})
	if err := v.Store.Requeue(t.Context(), tasks.Requeue{Task: "1", Owner: "ship-0", Epoch: g.Epoch, For: "ship-0", GoesOn: true}); err != nil {
		t.Fatal(err)
	}
	at := now.Add(2 * time.Hour)
	is(at, "1", at)
	k := reads(v, func() resolve.Known {
		k := s.known
		k.Ready, k.ReadyAt = s.neglected(at, v.Look()), s.idle.Neglects
		return k
	})
	at = at.Add(fleet.StallAfter + time.Second)
	k.Ship.Phase, k.Connected, k.EventAt, k.ActAt, k.FreeAt = fleet.Afloat, true, at, at, now
	if got := resolve.Status(at, k); got.Word != fleet.Stalled || got.Need != fleet.NeedStalled {
		t.Errorf("it is %+v", got)
	}
	s.report(at, proto.AgentState{State: proto.StateIdle})
	is(at, "", time.Time{})
}

// An agent that was told of a task as its turn ended is not told again before its own report of that has come.
func TestToldOnce(t *testing.T) {
	t.Parallel()
	_, _, v, _ := stoppedVoyage(t)
	s, _ := fakeShip(t, v, "ship-0")
	s.report(time.Now().Add(-time.Minute), proto.AgentState{State: proto.StateIdle})
	if verdict, err := s.wait(t.Context(), proto.WaitRequest{}); err != nil || verdict.Act != proto.ActClaim {
		t.Fatalf("it is told %+v, %v", verdict, err)
	}
	before := reads(v, func() time.Time { return s.prompts.Woken })
	changes(v, func() { s.rouseLocked(time.Now()) })
	if after := reads(v, func() time.Time { return s.prompts.Woken }); !after.Equal(before) {
		t.Error("it is woken a second time")
	}
}
