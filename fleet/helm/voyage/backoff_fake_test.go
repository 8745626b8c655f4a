package voyage

import (
	"context"
	"math/rand/v2"
	"net"
	gosync "sync"
	"testing"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/aboard/told"
	"ocaptain/fleet/aboard/wire"
	"ocaptain/fleet/helm/helmtest"
	"ocaptain/fleet/helm/limits"
	"ocaptain/fleet/helm/secrets"
	"ocaptain/fleet/proto"
	"ocaptain/fleet/summed"
)

// heard is a ship's end of the wire: what its agent was told.
type heard struct {
	mu    gosync.Mutex
	times int
	deaf  int // so many messages are swallowed first
	text  string
}

func (h *heard) count() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.times
}

// fakeShip is a ship of claude that is connected and alive, without a machine.
func fakeShip(t testing.TB, v *Voyage, name string) (*Ship, *heard) {
	t.Helper()
	s := newShip(v, &fleet.Ship{Name: name, Role: fleet.Worker, Agent: "claude", Provider: "local", Phase: fleet.Afloat})
	h := &heard{text: told.AfterError}
	here, there := net.Pipe()
	far := wire.New(there, wire.Options{Handlers: wire.Handlers{
		proto.MethodSay: wire.Handle(func(_ context.Context, m proto.Say) (proto.Said, error) {
			h.mu.Lock()
			defer h.mu.Unlock()
			if m.Text != h.text {
				t.Errorf("%s is told %q", name, m.Text)
			}
			if h.deaf > 0 {
				h.deaf--
				return proto.Said{}, nil
			}
			h.times++
			return proto.Said{Heard: true}, nil
		}),
	}})
	near := wire.New(here, wire.Options{})
	t.Cleanup(func() { s.Stop(); _ = near.Close(); _ = far.Close() })
	changes(v, func() {
		s.Reach.Greet(near)
		s.known.Pulse = proto.Pulse{Runner: true, Agent: true, Pane: true}
		v.ships[name] = s
	})
	return s, h
}

// report is a report of the ship's agent at some time.
func (s *Ship) report(at time.Time, st proto.AgentState) {
	changes(s.v, func() {
		s.v.followLimits(at, s.v.limits.Report(&s.limit, st, at, false, rand.Float64()))
		if st.State != s.known.State.State {
			s.known.StateAt = at
		}
		s.known.State = st
	})
}

func saveSecrets(d fleet.Dir, given map[string]string) error {
	return summed.Write(d.Secrets(), secrets.Given{Secrets: given}, 0o600)
}

func (v *Voyage) resumeAt(at time.Time) {
	changes(v, func() { v.resumeLocked(at) })
}

func (v *Voyage) holdOf(name string) *limits.Hold {
	return reads(v, func() *limits.Hold {
		if h := v.limits[name]; h != nil {
			copied := *h
			return &copied
		}
		return nil
	})
}

// stoppedVoyage is a voyage whose clock is far in the future, where only the test acts.
func stoppedVoyage(t *testing.T) (*helm, fleet.Dir, *Voyage, time.Time) {
	t.Helper()
	hub := helmtest.Hub(t)
	h := startHelm(t, hub)
	d := helmtest.Voyage(t, hub, fleet.Voyage{}, "#!/bin/sh\n", helmtest.Task("1", "true"), helmtest.Task("2", "true"))
	if err := saveSecrets(d, map[string]string{"ANTHROPIC_API_KEY": "sk-ant-test"}); err != nil {
		t.Fatal(err)
	}
	v := openStill(t, h, d)
	v.Roster.ChangeAnyway(func(f *fleet.Fleet) { f.Phase = fleet.Sailing })
	return h, d, v, time.Now().Add(1000 * time.Hour)
}
