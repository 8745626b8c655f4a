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
	v.Roster.ChangeAnyway(func(f *fleet.Fleet) {
		f.Phase = fleet.Sailing
		f.Ships = []*fleet.Ship{{Name: "kite-1", Number: 1, Agent: "claude", Provider: "local", Phase: fleet.Afloat}}
	})
	s, h = fakeShip(t, v, "kite-1")
	h.text = pool.Nudge
	if _, err := v.Store.Add(t.Context(), []tasks.Task{tasks.Dispatch{Command: "do it", Key: "k"}.Task()}); err != nil {
		t.Fatal(err)
	}
	if _, err := v.Store.Claim(t.Context(), "kite-1", "1"); err != nil {
		t.Fatal(err)
	}
	at = time.Now().Add(1000 * time.Hour)
	v.common.Awake(at) // it has been awake since
	s.report(at, proto.AgentState{State: proto.StateWorking})
	s.Reach.Note(link.Status{State: link.Connected})
	changes(v, func() {
		s.restored = true
		v.commits.Begins(s.Name, at)
	})
	return v, s, h, at
}

// checked has helm look at the pool minute by minute, from a moment until another.
func (v *Voyage) checked(s *Ship, from, until time.Time) {
	for now := from; !now.After(until); now = now.Add(time.Minute) {
		for at := now.Add(-time.Minute); !at.After(now); at = at.Add(time.Second) {
			v.common.Awake(at)
		}
		s.Copies.Took(now, sync.Snapshot{})
		changes(v, func() { s.known.ActAt, s.known.PulseAt, s.known.StateAt = now, now, now })
		v.checkPool(now)
	}
}

// A worker that commits nothing is told so, and the captain is told when the worker still commits nothing. The states of workers are in a
// log, whose older part is moved to another file.
func TestCheckPool(t *testing.T) {
	t.Parallel()
	v, s, h, at := watchedPool(t)
	needs := func() bool {
		b := v.Board()
		return slices.ContainsFunc(need.All(at.Add(2*time.Hour), &b, need.Away{}), func(n need.Need) bool { return n.Kind == fleet.NeedUncommitted })
	}
	v.checked(s, at, at.Add(65*time.Minute))
	eventually.Holds(t, "it is told", func() bool { return h.count() == 2 })
	raw, err := os.ReadFile(v.Dir.StatusLog())
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(raw)), "\n")
	if len(lines) != 2 || lines[0] != at.Add(30*time.Minute).UTC().Format(time.RFC3339)+" kite-1 working dispatch 1" {
		t.Errorf("it says %q", lines)
	}
	if err := os.WriteFile(v.Dir.StatusLog(), make([]byte, maxStatusLog+1), 0o600); err != nil {
		t.Fatal(err)
	}
	if v.checked(s, at.Add(66*time.Minute), at.Add(90*time.Minute)); !needs() {
		t.Error("the captain is not told")
	}
	if info, err := os.Stat(v.Dir.StatusLog()); err != nil || info.Size() > 100 {
		t.Errorf("the log is %v, %v", info, err)
	}
	if info, err := os.Stat(v.Dir.StatusLog() + ".1"); err != nil || info.Size() != maxStatusLog+1 {
		t.Errorf("the one before is %v, %v", info, err)
	}
}
