package voyage

import (
	"context"
	"strings"

	"ocaptain/fleet"
	"ocaptain/fleet/aboard/wire"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/proto"
)

// queuedLocked says why a message to a ship waits. The caller holds v.mu.
func (v *Voyage) queuedLocked(ship, told string) string {
	s := v.ships[ship]
	switch {
	case s == nil:
		return ship + " is not ready yet"
	case s.Reach.Conn() == nil:
		return ship + " cannot be reached now"
	case s.known.State.State == proto.StateLimited:
		return strings.TrimSuffix("its agent is limited: "+s.known.State.Why, ": ")
	case told != "":
		return told
	}
	return "it is on its way"
}

// Send keeps a message for a ship's agent, and waits a while for it to be read.
func (v *Voyage) Send(ctx context.Context, ship string, in api.SayRequest) (api.Said, error) {
	if err := v.mayTell(ship); err != nil {
		return api.Said{}, err
	}
	said, arrived, err := v.Post.Send(ctx, ship, in, func() {
		changes(v, func() {
			if s := v.ships[ship]; s != nil {
				s.forgive() // an agent that the captain writes to gets work again
			}
			v.Paint.Send()
		})
	})
	if err == nil && !arrived {
		said.Queued = reads(v, func() string { return v.queuedLocked(ship, said.Queued) })
	}
	return said, err
}

// mayTell says why a ship takes no messages, or nil.
func (v *Voyage) mayTell(ship string) error {
	switch f := v.Roster.Ship(ship); {
	case f == nil:
		return api.NotFound("voyage %s has no %s", v.Dir.ID(), ship)
	case f.Phase == fleet.Failed || f.Phase == fleet.Going:
		return api.Refused("%s is %s", ship, f.Phase)
	case !v.Info.AgentOf(f).TakesMessages():
		return api.Refused("the %s agent does not take messages", f.Agent)
	}
	return nil
}

// courier sends messages to the ship as long as the connection lasts.
func (s *Ship) courier(ctx context.Context, conn *wire.Conn) {
	b, err := s.v.Post.Box(s.Name)
	if err != nil {
		s.v.Notes.Add(fleet.Note{Ship: s.Name, Text: "messages to it cannot be read: " + err.Error()})
		return
	}
	s.v.Post.Carry(ctx, s.Name, b, conn, func() bool { // false while the agent is limited, as a message would be lost when its next request fails
		return reads(s.v, func() bool { return s.Reach.Conn() == conn && s.known.State.State != proto.StateLimited })
	})
}
