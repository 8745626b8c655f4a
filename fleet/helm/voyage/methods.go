package voyage

import (
	"context"
	"fmt"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/aboard/wire"
	"ocaptain/fleet/helm/reports"
	"ocaptain/fleet/proto"
	"ocaptain/fleet/resolve"
	"ocaptain/fleet/retry"
)

// methods answers what a ship asks. ready gives the connection once it is made.
func (s *Ship) methods(ready <-chan *wire.Conn) wire.Handlers {
	asked := wire.Handlers{
		proto.MethodHello: wire.Handle(func(ctx context.Context, h proto.Hello) (proto.Welcome, error) {
			return s.takeSession(ctx, <-ready, h)
		}),
		proto.MethodPulse: wire.Handle(s.notePulse),
		proto.MethodWait:  wire.Handle(s.wait),
		proto.MethodClaim: wire.Handle(func(ctx context.Context, r proto.ClaimRequest) (proto.Grant, error) {
			return s.claim(ctx, s.v.Requests.Claim, r)
		}),
		proto.MethodComplete: request(s.Ship, s.v.Requests.Complete),
		proto.MethodRelease:  request(s.Ship, s.v.Requests.Release),
		proto.MethodPlan:     request(s.Ship, s.v.Requests.Plan),
		proto.MethodReview:   request(s.Ship, s.v.Requests.TakeReview),
		proto.MethodFate:     request(s.Ship, s.v.Requests.Fate),
		proto.MethodMeaning:  wire.Handle(s.v.vectors.Make),
	}
	free := wire.Handlers{
		proto.MethodEvents: wire.Handle(func(ctx context.Context, e proto.Events) (any, error) {
			if s.MayAsk() != nil { // the ship must be heard, but not at once
				_ = retry.Sleep(ctx, time.Second)
			}
			return s.events(ctx, e)
		}),
		proto.MethodTelemetry: wire.Handle(func(ctx context.Context, t proto.Telemetry) (any, error) {
			return nil, s.TakeTelemetry(ctx, s.v.measures, t)
		}), // counts against a budget of its own
	}
	return s.Answers(asked, free)
}

// takeSession begins a session: the ship sends its journal from where the hub's copy ends.
func (s *Ship) takeSession(ctx context.Context, conn *wire.Conn, h proto.Hello) (proto.Welcome, error) {
	switch {
	case h.Protocol != proto.Version:
		return proto.Welcome{}, fmt.Errorf("protocol %d, helm speaks %d", h.Protocol, proto.Version)
	case h.Voyage != s.v.Dir.ID() || h.Ship != s.Name:
		return proto.Welcome{}, fmt.Errorf("this is %.40q of %.40q, not %s of %s", h.Ship, h.Voyage, s.Name, s.v.Dir.ID())
	}
	if err := s.feed.Lock(ctx); err != nil {
		return proto.Welcome{}, err
	}
	defer s.feed.Unlock()
	s.Reach.Greet(conn)
	s.v.poke.Send()
	return proto.Welcome{From: s.logs.ResumeAt(h.Journal, h.End)}, nil
}

// noteQuestion tells the captain, once, of a question on the agent's screen that no hook reports. The caller holds v.mu.
func (s *Ship) noteQuestion() {
	known := s.known
	known.Ship = s.Record()
	s.Reach.Show(&known)
	now := resolve.Status(time.Now(), known)
	if now.Source != "screen" {
		s.asked = ""
		return
	}
	if s.asked != now.Reason {
		s.asked = now.Reason
		if !s.Noted.AllowN(time.Now(), 1) {
			return
		}
		s.v.Notes.Add(fleet.Note{Ship: s.Name, Text: "its screen " + now.Reason + ": attach to the ship and answer"})
	}
}

// notePulse records which programs of the ship run.
func (s *Ship) notePulse(_ context.Context, p proto.Pulse) (any, error) {
	p = reports.Pulse(p)
	return reads2(s.v, func() (any, error) {
		changed := s.known.Pulse != p || s.known.PulseAt.IsZero()
		s.known.Pulse, s.known.PulseAt = p, time.Now()
		if changed {
			s.v.Paint.Send()
			s.v.Dispatcher.Soon()
		}
		s.noteQuestion()
		if !p.Runner && s.v.Kind.Over(s.v.Roster.Now().Phase) == "" && s.Paused(time.Now()) == "" && !s.activity().Finished() {
			s.launchLocked()
		}
		return nil, nil
	})
}
