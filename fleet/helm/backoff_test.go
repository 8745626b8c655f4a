package helm

import (
	"slices"
	"testing"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/agent"
	"ocaptain/fleet/proto"
	"ocaptain/tasks/eventually"
)

func TestPauses(t *testing.T) {
	t.Parallel()
	for tries, want := range []time.Duration{15 * time.Second, 30 * time.Second, time.Minute, 2 * time.Minute, 4 * time.Minute, 8 * time.Minute, 10 * time.Minute, 10 * time.Minute} {
		low, high := pauseAfter(tries, 0), pauseAfter(tries, 1)
		if got := pauseAfter(tries, 0.5); got != want || low >= want || high <= want || high > 2*want {
			t.Errorf("after %d tries: %s to %s, about %s", tries, low, high, got)
		}
	}
	if pauseAfter(1<<40, 0.5) != mostPause || pauseAfter(-1, 0.5) != firstPause {
		t.Error("odd counts")
	}
}

const week = 7 * 24 * time.Hour

// A hold follows what the agents report: its reset, its tries, its end.
// What a wrong clock said lasts no longer for that when the clock is right again.
func TestHoldByAWrongClock(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	wrong := now.Add(26 * time.Hour)
	h := &hold{Login: "claude"}
	h.stopped(wrong, "ship-1", agent.Trouble{Kind: agent.TroubleUsage, Until: wrong.Add(time.Hour)}, false, week, 0.5)
	h.stopped(wrong, "ship-2", agent.Trouble{Kind: agent.TroubleUsage, Until: wrong.Add(time.Hour)}, false, week, 0.5)
	next := h.Next.Sub(wrong)
	h.believe(wrong.Add(time.Second))
	if !h.Next.Equal(wrong.Add(next)) {
		t.Errorf("a clock that goes on: %+v", h)
	}
	h.believe(now)
	if !h.Next.Equal(now.Add(next)) || !h.Words["ship-1"].Equal(now.Add(time.Hour)) {
		t.Errorf("a clock that was set back: %+v", h)
	}
	h.noteTold(h.Next, "ship-1", 0.5)
	h.believe(h.Tried.Add(-time.Hour))
	if got := h.Tried; !h.Last.Equal(got) || h.mayTellNow(got) || !h.mayTellNow(got.Add(tryTime+time.Second)) {
		t.Errorf("a try: %+v", h)
	}
}

func TestHold(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	usage := agent.Trouble{Kind: agent.TroubleUsage, Why: "weekly limit", Until: now.Add(2 * time.Hour)}
	storm := agent.Trouble{Kind: agent.TroubleAPI, Why: "API overloaded"}
	h := &hold{Login: "claude"}
	h.stopped(now, "ship-1", storm, false, week, 0.5)
	if !h.Next.Equal(now.Add(firstPause)) || h.holdsBack(now, "ship-3") || h.mayTellNow(now) || !h.mayTellNow(h.Next) {
		t.Errorf("a storm: %+v", h)
	}
	h.stopped(now.Add(time.Second), "ship-2", storm, false, week, 0.5)
	if !h.Next.Equal(now.Add(firstPause)) || h.Tries != 0 {
		t.Errorf("a second ship puts the try off: %+v", h)
	}
	h.noteTold(h.Next, "ship-1", 0.5)
	if h.mayTellNow(h.Next.Add(time.Minute)) || !h.mayTellNow(h.Next.Add(time.Hour)) {
		t.Error("one at a time, unless it is lost")
	}
	at := now.Add(time.Minute)
	h.stopped(at, "ship-1", storm, true, week, 0.5)
	if h.Tries != 1 || h.Ship != "" || !h.Next.Equal(at.Add(30*time.Second)) {
		t.Errorf("after a failed try: %+v", h)
	}
	h.stopped(at, "ship-2", usage, true, week, 0.5)
	if want := usage.Until.Add(resetSlack); !h.nextTry("ship-2").Equal(want) || !h.holdsBack(at, "ship-2") {
		t.Errorf("a limit with a reset: %+v, want a try at %s", h, want)
	}
	if want := at.Add(time.Minute); !h.nextTry("ship-1").Equal(want) || !h.Next.Equal(want) {
		t.Errorf("one ship's limit holds another, which met a storm: %+v, want a try at %s", h, want)
	}
	h.stopped(at, "ship-1", storm, false, week, 0.5)
	if h.Cause != agent.TroubleUsage || h.Why != "weekly limit" {
		t.Errorf("a storm hides the limit: %+v", h)
	}
	h.worked(at, "ship-1", 0.5)
	if want := usage.Until.Add(resetSlack); !h.nextTry("ship-2").Equal(want) {
		t.Errorf("the limit of one is forgotten as another one works: %+v", h)
	}
	h.worked(at, "ship-2", 0.5)
	if h.holdsBack(at, "ship-2") || h.Tries != 0 || !h.mayTellNow(at.Add(3*time.Second)) {
		t.Errorf("after success: %+v", h)
	}
	h.noteTold(at.Add(3*time.Second), "ship-2", 0.5)
	if h.mayTellNow(at.Add(3 * time.Second)) {
		t.Error("all follow at once")
	}
	h.stopped(at.Add(4*time.Second), "ship-2", storm, true, week, 0.5)
	if h.Free || !h.Next.Equal(at.Add(34*time.Second)) {
		t.Errorf("one that follows fails: %+v", h)
	}
	h.noteTold(h.Next, "ship-2", 0.5)
	h.noResultFrom(h.Next, "ship-2", 0.5)
	if h.Ship != "" {
		t.Error("a ship that is gone still tries")
	}
}

// A usage limit stops three ships. After the reset one tries, fails, tries again, and
// when it works the others follow, one by one. Until then nothing is offered to any.
func TestHeldShipsComeBackOneFirst(t *testing.T) {
	t.Parallel()
	h, d, v, now := stoppedVoyage(t)
	var ships []*ship
	var ears []*heard
	for _, name := range []string{"ship-0", "ship-1", "ship-2", "ship-3"} {
		s, e := fakeShip(t, v, name)
		ships, ears = append(ships, s), append(ears, e)
	}
	told := func() (n []int) {
		for _, e := range ears {
			n = append(n, e.count())
		}
		return n
	}
	reset := now.Add(2 * time.Hour)
	limit := proto.AgentState{State: proto.StateLimited, Why: "weekly limit", Trouble: "usage", Until: reset}
	for _, s := range ships[:3] {
		s.report(now, limit)
	}
	ships[3].report(now, proto.AgentState{State: proto.StateIdle})
	v.resumeAt(now.Add(time.Hour))
	if verdict := ships[3].asksAt(now); verdict.Act != "" {
		t.Errorf("an idle ship is offered %+v while the account is limited", verdict)
	}
	if n := told(); slices.Max(n) != 0 {
		t.Errorf("told before the reset: %v", n)
	}
	stands := func(i int, at time.Time, want string) {
		t.Helper()
		k := reads(v, func() fleet.Known {
			k := ships[i].known
			k.Ship.Phase, k.Connected = fleet.Afloat, true
			ships[i].standing(&k)
			return k
		})
		if got := fleet.Resolve(at, k); got.Word != fleet.Limited || got.Reason != want {
			t.Errorf("%s is %s (%s), want %q", ships[i].name, got.Word, got.Reason, want)
		}
	}
	stands(1, now.Add(time.Hour), "weekly limit, resets "+reset.Format("15:04")+" (in 1h)")

	// Helm ends, and the next one knows.
	h.close()
	h2 := startHelm(t, h.hub)
	v2 := openStill(t, h2, d) // it must not look before the ships are there, and find none held
	if got := v2.holdOf("claude"); got == nil || !got.Until.Equal(reset) || got.Next.Before(reset) {
		t.Fatalf("after a restart the hold is %+v", got)
	}
	v = v2
	for i, old := range ships {
		s, e := fakeShip(t, v, old.name)
		s.restoring = true
		s.report(now, old.known.State)
		s.restoring = false
		ships[i], ears[i] = s, e
	}

	ears[0].deaf = 1 // a menu swallows the first
	at := reset.Add(2 * time.Minute)
	v.resumeAt(at)
	eventually.Holds(t, "the first ship is told", func() bool { return slices.Equal(told(), []int{1, 0, 0, 0}) })
	ships[0].report(at, proto.AgentState{State: proto.StateWorking}) // it was told; that proves nothing
	v.resumeAt(at.Add(time.Minute))
	stands(1, at.Add(time.Minute), "weekly limit, goes on when ship-0 can")
	again := proto.AgentState{State: proto.StateLimited, Why: "weekly limit", Trouble: "usage"}
	ships[0].report(at.Add(2*time.Minute), again)
	hold := v.holdOf("claude")
	if hold.Tries != 1 || hold.Ship != "" {
		t.Errorf("after a failed try: %+v", hold)
	}
	stands(0, hold.Next.Add(-20*time.Second), "weekly limit, tried again in 20s (2nd time)")
	v.resumeAt(hold.Next)
	eventually.Holds(t, "another ship is told", func() bool { return slices.Equal(told(), []int{1, 1, 0, 0}) })
	at = hold.Next.Add(time.Minute)
	ships[1].report(at, proto.AgentState{State: proto.StateWorking, Tool: "Bash"})
	v.resumeAt(at)
	if n := told(); !slices.Equal(n, []int{1, 1, 0, 0}) {
		t.Errorf("all follow at once: %v", n)
	}
	v.resumeAt(at.Add(4 * time.Second))
	eventually.Holds(t, "a ship follows", func() bool { n := told(); return n[0]+n[2] == 2 })
	if verdict := ships[3].asksAt(at); verdict.Act != proto.ActClaim {
		t.Errorf("nothing is offered although it works again: %+v", verdict)
	}
	for _, s := range ships[:3] {
		s.report(at, proto.AgentState{State: proto.StateIdle})
	}
	v.resumeAt(at.Add(time.Minute))
	if got := v.holdOf("claude"); got != nil {
		t.Errorf("it is not over: %+v", got)
	}
	eventually.Holds(t, "a note", func() bool {
		return slices.ContainsFunc(reads(v, v.notes.list), func(n fleet.Note) bool { return n.Ship == "ship-1" && n.Text != "" })
	})
}

// A turn that fails for reasons of its own is tried again three times, and then left
// to the captain; an error that needs a person is not tried at all.
func TestStumbles(t *testing.T) {
	t.Parallel()
	_, _, v, now := stoppedVoyage(t)
	s, e := fakeShip(t, v, "ship-0")
	p, other := fakeShip(t, v, "ship-1")
	p.report(now, proto.AgentState{State: proto.StateLimited, Why: "API overloaded", Trouble: "api"})
	p.report(now, proto.AgentState{State: proto.StateWaiting, Why: "billing", Trouble: "person"})
	at := now
	for n := 1; n <= 5; n++ {
		s.report(at, proto.AgentState{State: proto.StateFailed, Why: "400 odd", Trouble: "turn"})
		v.resumeAt(at.Add(time.Second))
		at = at.Add(time.Hour)
		v.resumeAt(at)
		want := min(n, maxStumbles)
		eventually.Holds(t, "it is told", func() bool { return e.count() == want })
		s.settled(t)
	}
	if e.count() != maxStumbles || other.count() != 0 || v.holdOf("claude") != nil {
		t.Errorf("told %d and %d times; hold %+v", e.count(), other.count(), v.holdOf("claude"))
	}
}
