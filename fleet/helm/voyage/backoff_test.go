package voyage

import (
	"slices"
	"testing"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/proto"
	"ocaptain/fleet/resolve"
	"ocaptain/tasks/eventually"
)

// A usage limit stops three ships. After the reset one tries, fails, tries again, and
// when it works the others follow, one by one. Until then nothing is offered to any.
func TestHeldShipsComeBackOneFirst(t *testing.T) {
	t.Parallel()
	h, d, v, now := stoppedVoyage(t)
	var ships []*Ship
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
		k := reads(v, func() resolve.Known {
			k := ships[i].known
			k.Ship.Phase, k.Connected = fleet.Afloat, true
			k.TryAt, k.Tries, k.TryBy = v.limits.Standing(&ships[i].limit)
			return k
		})
		if got := resolve.Status(at, k); got.Word != fleet.Limited || got.Reason != want {
			t.Errorf("%s is %s (%s), want %q", ships[i].Name, got.Word, got.Reason, want)
		}
	}
	stands(1, now.Add(time.Hour), "weekly limit, resets "+reset.Format("15:04")+" (in 1h)")

	// Helm ends, and the next one knows.
	h.Close()
	h2 := startHelm(t, h.Hub)
	v2 := openStill(t, h2, d) // it must not look before the ships are there, and find none held
	if got := v2.holdOf("claude"); got == nil || !got.Until.Equal(reset) || got.Next.Before(reset) {
		t.Fatalf("after a restart the hold is %+v", got)
	}
	v = v2
	for i, old := range ships {
		s, e := fakeShip(t, v, old.Name)
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
		return slices.ContainsFunc(reads(v, v.Notes.List), func(n fleet.Note) bool { return n.Ship == "ship-1" && n.Text != "" })
	})
}
