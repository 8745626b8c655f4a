package serve

import (
	"context"
	"errors"
	"io/fs"
	"os"

	"ocaptain/fleet/aboard/halt"
	"ocaptain/fleet/aboard/shipdir"
	"ocaptain/fleet/proto"
)

// pauseAgent interrupts the agent because the captain said so.
func (s *server) pauseAgent(ctx context.Context, _ struct{}) (proto.Paused, error) {
	if err := s.typing.Lock(ctx); err != nil {
		return proto.Paused{}, err
	}
	defer s.typing.Unlock()
	return s.halter().Pause(ctx, proto.Interrupted, "interrupted by the captain")
}

func (s *server) halter() *halt.Agent {
	return &halt.Agent{Home: s.home, Agent: s.agent, Book: s.book, Waits: func() bool { return s.waits.Load() > 0 }}
}

// takeAllowance records for the runner what the agent may cost while helm is away.
func (s *server) takeAllowance(_ context.Context, a proto.Allowance) (any, error) {
	if a.Bounded {
		return nil, shipdir.WriteJSON(s.home.Allowance(), a)
	}
	if err := os.Remove(s.home.Allowance()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return nil, nil
}
