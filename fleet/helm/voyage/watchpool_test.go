package voyage

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/clock"
	"ocaptain/fleet/helm/helmtest"
	"ocaptain/fleet/helm/pool"
	"ocaptain/fleet/link"
	"ocaptain/fleet/need"
	"ocaptain/fleet/proto"
	"ocaptain/sync"
	"ocaptain/tasks"
	"ocaptain/tasks/eventually"
)

// watchedPool is a pool whose worker kite-1 has a dispatch since at; only the test acts, at times of its own.
func watchedPool(t *testing.T) (v *Voyage, s *Ship, h *heard, at time.Time) {
	hub := helmtest.Hub(t)
	helm := startHelm(t, hub)
	helm.Awake = (&clock.Clock{}).AwakeSince
	d := helmtest.Voyage(t, hub, fleet.Voyage{Kind: fleet.Pool, Name: "kite", Check: 30 * time.Minute}, "")
	if err := saveSecrets(d, map[string]string{"ANTHROPIC_API_KEY": "sk-ant-test"}); err != nil {
		t.Fatal(err)
	}
	v = openStill(t, helm, d)
	v.roster.ChangeAnyway(func(f *fleet.Fleet) {
		f.Phase = fleet.Sailing
		f.Ships = []*fleet.Ship{{Name: "kite-1", Number: 1, Agent: "claude", Provider: "local", Phase: fleet.Afloat}}
	})
	s, h = fakeShip(t, v, "kite-1")
	h.text = pool.Nudge
	if _, err := v.store.Add(t.Context(), []tasks.Task{tasks.Dispatch{Command: "do it", Key: "k"}.Task()}); err != nil {
		t.Fatal(err)
	}
	if _, err := v.store.Claim(t.Context(), "kite-1", "1"); err != nil {
		t.Fatal(err)
	}
	at = time.Now().Add(1000 * time.Hour)
	v.common.Awake(at) // it has been awake since
	s.report(at, proto.AgentState{State: proto.StateWorking})
	s.reach.Note(link.Status{State: link.Connected})
	changes(v, func() { s.restored, s.work = true, pool.Work{Since: at} })
	return v, s, h, at
}

// staysAwake has helm look at the clock from a moment until another.
func (v *Voyage) staysAwake(from, until time.Time) {
	for now := from; !now.After(until); now = now.Add(time.Second) {
		v.common.Awake(now)
	}
}

// lets passes time until a moment, minute by minute, in which the agent works and its tree is copied.
func (s *Ship) lets(from, until time.Time) {
	s.v.staysAwake(from.Add(-3*time.Hour), from)
	for now := from; !now.After(until); now = now.Add(time.Minute) {
		s.v.staysAwake(now.Add(-time.Minute), now)
		s.copies.Took(now, sync.Snapshot{})
		changes(s.v, func() { s.known.ActAt, s.known.PulseAt, s.known.StateAt = now, now, now })
		s.v.checkPool(now)
	}
}

// TestCommitRule has a worker commit nothing: it is told after 30 minutes, not before and not twice, again after 30 more, and
// the captain when that did nothing either. A commit ends it.
func TestCommitRule(t *testing.T) {
	t.Parallel()
	v, s, h, at := watchedPool(t)
	needs := func() bool {
		b := v.Board()
		return slices.ContainsFunc(need.All(at.Add(2*time.Hour), &b, need.Away{}), func(n need.Need) bool { return n.Kind == fleet.NeedUncommitted })
	}
	told := 0
	for _, c := range []struct {
		minute int
		told   int
		needs  bool
	}{{29, 0, false}, {30, 1, false}, {59, 1, false}, {60, 2, false}, {89, 2, false}, {90, 3, true}} {
		until := at.Add(time.Duration(c.minute) * time.Minute)
		s.lets(until.Add(-time.Minute), until)
		if c.told > told {
			told = c.told
			eventually.Holds(t, "it is told", func() bool { return h.count() == told })
		}
		if n := h.count(); n != c.told || needs() != c.needs {
			t.Errorf("after %d minutes it was told %d times, the captain: %t", c.minute, n, needs())
		}
	}
	changes(v, func() {
		s.head = "before"
		s.committed(at.Add(91*time.Minute), "after")
	})
	if needs() {
		t.Error("it has committed, and still needs the captain")
	}
	s.lets(at.Add(91*time.Minute), at.Add(120*time.Minute))
	if n := h.count(); n != told {
		t.Errorf("it was told %d times more", n-told)
	}
}

// TestCommitRuleIsFair lets 40 minutes go by in which the worker could not commit, or helm could not see it: helm does not
// tell it to commit.
func TestCommitRuleIsFair(t *testing.T) {
	t.Parallel()
	for name, hinder := range map[string]func(v *Voyage, s *Ship){
		"it asks":        func(_ *Voyage, s *Ship) { s.known.State.State = proto.StateWaiting },
		"it is limited":  func(_ *Voyage, s *Ship) { s.known.State.State = proto.StateLimited },
		"it is away":     func(_ *Voyage, s *Ship) { s.reach.Greet(nil) },
		"the hub slept":  func(*Voyage, *Ship) {},
		"it has no task": func(v *Voyage, _ *Ship) { v.view = nil },
	} {
		v, s, h, at := watchedPool(t)
		later := at.Add(40 * time.Minute)
		if name == "it has no task" {
			if err := v.store.Requeue(t.Context(), tasks.Requeue{Task: "1", Hold: true}); err != nil {
				t.Fatal(err)
			}
		}
		if name != "the hub slept" {
			v.staysAwake(at, later)
		}
		s.copies.Took(later, sync.Snapshot{})
		changes(v, func() {
			s.known.ActAt, s.known.PulseAt, s.known.StateAt = later, later, later
			hinder(v, s)
		})
		v.checkPool(later)
		if nudges := reads(v, func() int { return s.work.Nudges }); nudges > 0 || h.count() > 0 {
			t.Errorf("%s: it was told", name)
		}
	}
}

// TestStatusLog writes how workers stand once in each interval, and puts a log aside that is large.
func TestStatusLog(t *testing.T) {
	t.Parallel()
	v, s, _, at := watchedPool(t)
	s.lets(at, at.Add(65*time.Minute))
	raw, err := os.ReadFile(v.dir.StatusLog())
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(raw)), "\n")
	if len(lines) != 2 || lines[0] != at.Add(30*time.Minute).UTC().Format(time.RFC3339)+" kite-1 working dispatch 1" {
		t.Errorf("it says %q", lines)
	}
	if err := os.WriteFile(v.dir.StatusLog(), make([]byte, maxStatusLog+1), 0o600); err != nil {
		t.Fatal(err)
	}
	s.lets(at.Add(90*time.Minute), at.Add(90*time.Minute))
	if info, err := os.Stat(v.dir.StatusLog()); err != nil || info.Size() > 100 {
		t.Errorf("the log is %v, %v", info, err)
	}
	if info, err := os.Stat(v.dir.StatusLog() + ".1"); err != nil || info.Size() != maxStatusLog+1 {
		t.Errorf("the one before is %v, %v", info, err)
	}
}
