package helm

import (
	"context"
	"fmt"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/aboard"
	"ocaptain/fleet/aboard/wire"
)

// methods answers what a ship asks. ready gives the connection once it is made.
func (s *ship) methods(ready <-chan *wire.Conn) wire.Handlers {
	return s.v.redacted(wire.Handlers{
		aboard.MethodHello: wire.Handle(func(ctx context.Context, h aboard.Hello) (aboard.Welcome, error) {
			return s.hello(<-ready, h)
		}),
		aboard.MethodEvents:   wire.Handle(s.events),
		aboard.MethodPulse:    wire.Handle(s.pulse),
		aboard.MethodClaim:    wire.Handle(s.claim),
		aboard.MethodComplete: wire.Handle(s.complete),
		aboard.MethodRelease:  wire.Handle(s.release),
		aboard.MethodWait:     wire.Handle(s.wait),
		aboard.MethodFate:     wire.Handle(s.fate),
	})
}

// hello takes up a session; the ship's journal goes on where the hub's copy ends.
func (s *ship) hello(conn *wire.Conn, h aboard.Hello) (aboard.Welcome, error) {
	switch {
	case h.Protocol != aboard.Version:
		return aboard.Welcome{}, fmt.Errorf("protocol %d, helm speaks %d", h.Protocol, aboard.Version)
	case h.Voyage != s.v.dir.ID() || h.Ship != s.name:
		return aboard.Welcome{}, fmt.Errorf("this is %.40q of %.40q, not %s of %s", h.Ship, h.Voyage, s.name, s.v.dir.ID())
	}
	s.v.mu.Lock()
	defer s.v.mu.Unlock()
	s.conn, s.known.Silent = conn, ""
	s.v.pokeLocked()
	return aboard.Welcome{From: s.logs.From(h.Journal, h.End)}, nil
}

// asks tells the captain of a question on the agent's screen that no hook tells of,
// once. The caller holds v.mu.
func (s *ship) asks() {
	now := fleet.Resolve(time.Now(), s.known)
	if now.Source != "screen" {
		s.asked = ""
		return
	}
	if s.asked != now.Reason {
		s.asked = now.Reason
		if !s.noted.take(time.Now()) {
			return
		}
		s.v.note(fleet.Note{Ship: s.name, Text: "its screen " + now.Reason + ", and nobody answers: attach to it and do"})
	}
}

// pulse notes which parts of the ship live.
func (s *ship) pulse(_ context.Context, p aboard.Pulse) (any, error) {
	p.Title, p.Screen, p.Retry = word(p.Title), word(p.Screen), word(p.Retry)
	s.v.mu.Lock()
	defer s.v.mu.Unlock()
	changed := s.known.Pulse != p || s.known.PulseAt.IsZero()
	s.known.Pulse, s.known.PulseAt = p, time.Now()
	if changed {
		s.v.touch()
	}
	s.asks()
	if !p.Runner && !s.v.fleet.Phase.Over() && !s.finished() {
		s.launchLocked()
	}
	return nil, nil
}
