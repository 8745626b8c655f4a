package voyage

import (
	"fmt"
	"testing"
	"time"

	"ocaptain/fleet/helm/limits"
	"ocaptain/fleet/helm/secrets"
	"ocaptain/fleet/proto"
)

// One ship says again and again that there is a limit for a month. The other ships that work go on,
// one idle ship begins something first, and all do when it is served. The ship itself tries again
// when its service's longest limit has passed.
func TestOneShipsWordHoldsItselfAlone(t *testing.T) {
	t.Parallel()
	_, _, v, now := stoppedVoyage(t)
	liar, _ := fakeShip(t, v, "ship-0")
	first, _ := fakeShip(t, v, "ship-1")
	second, _ := fakeShip(t, v, "ship-2")
	idle := proto.AgentState{State: proto.StateIdle}
	first.report(now, idle)
	second.report(now, idle)
	month := proto.AgentState{State: proto.StateLimited, Why: "weekly limit", Trouble: "usage", Until: now.Add(30 * 24 * time.Hour)}
	liar.report(now, month)
	if act := first.verdictAt(now); act != proto.ActClaim {
		t.Errorf("the first is told to %q", act)
	}
	v.Offers.Withdraw("ship-1")
	if act := second.verdictAt(now); act != "" {
		t.Errorf("all try at once: the second is told to %q", act)
	}
	first.report(now.Add(time.Second), proto.AgentState{State: proto.StateWorking, Tool: "Bash"})
	at := now.Add(2 * time.Second)
	for n := range 20 {
		second.forgiven()
		if act := second.verdictAt(at); act != proto.ActClaim {
			t.Fatalf("after %d words of the other it is told to %q", n, act)
		}
		liar.report(at, proto.AgentState{State: proto.StateWorking, Tool: "Bash"})
		v.resumeAt(at)
		liar.report(at, month)
		at = at.Add(time.Minute)
	}
	if next := v.holdOf("claude").NextTry("ship-0"); next.After(at.Add(8*24*time.Hour)) || next.Before(at.Add(6*24*time.Hour)) {
		t.Errorf("it tries again at %s", next)
	}
	if got := liar.state().Until; !got.Equal(month.Until) {
		t.Errorf("it is shown to last until %s", got)
	}
}

func (s *Ship) forgiven() {
	changes(s.v, s.forgive)
}

// A second ship proves a limit: no ship begins anything until the time that two of them name. A
// ship that lies holds no other.
func TestSecondShipProvesALimit(t *testing.T) {
	t.Parallel()
	_, _, v, now := stoppedVoyage(t)
	var ships []*Ship
	for n := range 20 {
		s, _ := fakeShip(t, v, fmt.Sprint("ship-", n))
		s.report(now, proto.AgentState{State: proto.StateWorking})
		ships = append(ships, s)
	}
	limit := func(d time.Duration) proto.AgentState {
		return proto.AgentState{State: proto.StateLimited, Why: "5-hour limit", Trouble: "usage", Until: now.Add(d)}
	}
	ships[0].report(now, limit(30*24*time.Hour))
	at := now.Add(time.Second)
	ships[1].report(at, limit(3*time.Hour))
	for _, s := range ships[2:] {
		s.report(at, proto.AgentState{State: proto.StateIdle})
		if act := s.verdictAt(at); act != "" {
			t.Fatalf("%s is told to %s", s.Name, act)
		}
	}
	if h := v.holdOf("claude"); h.Next.After(now.Add(3*time.Hour + 5*time.Minute)) {
		t.Errorf("the next try is at %s, %s later", h.Next, h.Next.Sub(now))
	}
	// It tries, and says again that it lasts: another one tries soon.
	at = now.Add(3*time.Hour + 3*time.Minute)
	ships[0].report(at, limit(60*24*time.Hour))
	if h := v.holdOf("claude"); h.Next.After(at.Add(10 * time.Minute)) {
		t.Errorf("the next try is at %s, %s later", h.Next, h.Next.Sub(at))
	}
}

// Ships to which the hub gave no login have each their own: what two of them meet holds no third.
func TestOwnLogins(t *testing.T) {
	t.Parallel()
	_, _, v, now := stoppedVoyage(t)
	if err := v.Secrets.Keep(secrets.Given{}); err != nil {
		t.Fatal(err)
	}
	var ships []*Ship
	for n := range 3 {
		s, _ := fakeShip(t, v, fmt.Sprint("ship-", n))
		ships = append(ships, s)
	}
	limit := proto.AgentState{State: proto.StateLimited, Why: "weekly limit", Trouble: "usage", Until: now.Add(time.Hour)}
	ships[0].report(now, limit)
	ships[1].report(now, limit)
	ships[2].report(now, proto.AgentState{State: proto.StateIdle})
	if act := ships[2].verdictAt(now); act != proto.ActClaim {
		t.Errorf("a ship with another login is told to %q", act)
	}
}

// Two ships say that there is a limit for a month. That holds the others for a minute; then one finds out. When it meets
// the limit too, the next one waits longer; when it is served, the words of the others hold only themselves.
func TestTwoLiarsHoldOthersForAMoment(t *testing.T) {
	t.Parallel()
	_, _, v, now := stoppedVoyage(t)
	var ships []*Ship
	for n := range 5 {
		s, _ := fakeShip(t, v, fmt.Sprint("ship-", n))
		ships = append(ships, s)
	}
	month := proto.AgentState{State: proto.StateLimited, Why: "weekly limit", Trouble: "usage", Until: now.Add(30 * 24 * time.Hour)}
	ships[0].report(now, month)
	ships[1].report(now, month)
	expect := func(at time.Time, want ...proto.Act) {
		t.Helper()
		for i, s := range ships[2:] {
			s.forgiven()
			if act := s.verdictAt(at); act != want[i] {
				t.Errorf("%s is told to %q, want %q", s.Name, act, want[i])
			}
			v.Offers.Withdraw(s.Name)
		}
	}
	for _, s := range ships[2:] {
		s.report(now, proto.AgentState{State: proto.StateIdle})
	}
	expect(now.Add(limits.FirstProbe-time.Second), "", "", "")
	at := now.Add(limits.FirstProbe)
	expect(at, proto.ActClaim, "", "")
	ships[2].report(at, proto.AgentState{State: proto.StateLimited, Why: "rate limit", Trouble: "usage", Until: at.Add(10 * time.Minute)})
	expect(at.Add(limits.FirstProbe), "", "", "")
	at = at.Add(2 * limits.FirstProbe)
	expect(at, "", proto.ActClaim, "")
	silent := reads(v, func() limits.Hold { return *v.limits["claude"] })
	if after := at.Add(limits.ProbeTime); !silent.HoldsBack(after, "ship-3") || silent.HoldsBack(after, "ship-4") || silent.HoldsBack(after.Add(limits.ProbeTime), "ship-3") {
		t.Errorf("a ship that tells nothing is the only one that may find out: %+v", silent)
	}
	ships[3].report(at, proto.AgentState{State: proto.StateWorking, Tool: "Bash"})
	expect(at, "", proto.ActClaim, proto.ActClaim)
	h := v.holdOf("claude")
	if next := h.NextTry("ship-2"); next.After(at.Add(10 * time.Minute)) {
		t.Errorf("a ship that told a short limit tries at %s, %s later", next, next.Sub(at))
	}
	if next := h.NextTry("ship-0"); next.Before(at.Add(6 * 24 * time.Hour)) {
		t.Errorf("a ship that told a long limit tries at %s", next)
	}
}
