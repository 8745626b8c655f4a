package helm

import (
	"context"
	"fmt"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/aboard/wire"
	"ocaptain/fleet/proto"
)

// methods answers what a ship asks. ready gives the connection once it is made.
func (s *ship) methods(ready <-chan *wire.Conn) wire.Handlers {
	return s.v.redacted(wire.Handlers{
		proto.MethodHello: wire.Handle(func(ctx context.Context, h proto.Hello) (proto.Welcome, error) {
			return s.hello(<-ready, h)
		}),
		proto.MethodEvents:   wire.Handle(s.events),
		proto.MethodPulse:    wire.Handle(s.pulse),
		proto.MethodClaim:    wire.Handle(s.claim),
		proto.MethodComplete: wire.Handle(s.complete),
		proto.MethodRelease:  wire.Handle(s.release),
		proto.MethodWait:     wire.Handle(s.wait),
		proto.MethodFate:     wire.Handle(s.fate),
	})
}

// hello takes up a session; the ship's journal goes on where the hub's copy ends.
func (s *ship) hello(conn *wire.Conn, h proto.Hello) (proto.Welcome, error) {
	switch {
	case h.Protocol != proto.Version:
		return proto.Welcome{}, fmt.Errorf("protocol %d, helm speaks %d", h.Protocol, proto.Version)
	case h.Voyage != s.v.dir.ID() || h.Ship != s.name:
		return proto.Welcome{}, fmt.Errorf("this is %.40q of %.40q, not %s of %s", h.Ship, h.Voyage, s.name, s.v.dir.ID())
	}
	s.v.mu.Lock()
	defer s.v.mu.Unlock()
	s.conn, s.known.Silent = conn, ""
	s.v.pokeLocked()
	return proto.Welcome{From: s.logs.From(h.Journal, h.End)}, nil
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
func (s *ship) pulse(_ context.Context, p proto.Pulse) (any, error) {
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
