package serve

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"

	"ocaptain/fleet/aboard/shipdir"
	"ocaptain/fleet/proto"
	"ocaptain/fleet/retry"
)

// heedTime is how long an agent may take to stop what it does.
const heedTime = 3 * time.Second

// pauseAgent interrupts what the agent does. It lives on and waits for the captain: no hook
// tells of that, so this does. One that does not work is left alone, as the key means
// something else to it then.
func (s *server) pauseAgent(ctx context.Context, _ struct{}) (proto.Paused, error) {
	var r shipdir.Running
	if err := shipdir.ReadJSON(s.home.Run(), &r); err != nil || !r.Agent.Alive() {
		return proto.Paused{}, errors.New("no agent is running that could be interrupted")
	}
	if err := s.typing.Lock(ctx); err != nil {
		return proto.Paused{}, err
	}
	defer s.typing.Unlock()
	var command shipdir.Process
	if shipdir.ReadJSON(s.home.Command(), &command) == nil && command.Alive() {
		// The agent without a model cannot wait for the captain: what its task runs fails.
		if err := syscall.Kill(-command.PID, syscall.SIGINT); err != nil {
			return proto.Paused{}, fmt.Errorf("interrupt the task's command: %w", err)
		}
		return proto.Paused{Was: true, Still: true}, nil
	}
	if s.agent.Turns { // its runner begins no other turn then
		if err := shipdir.WriteFile(s.home.Interrupted(), ""); err != nil {
			return proto.Paused{}, err
		}
	}
	p, err := s.stopTurn(ctx)
	if err != nil || !p.Was {
		_ = os.Remove(s.home.Interrupted())
		return p, err
	}
	if s.agent.Turns {
		p.Still = !heeded(ctx, func() bool { return !r.Agent.Alive() })
	}
	if !p.Still {
		s.interrupted(ctx)
	}
	return p, nil
}

// stopTurn interrupts an agent with a model, and looks whether it heeds. The caller holds
// s.typing.
func (s *server) stopTurn(ctx context.Context) (proto.Paused, error) {
	var r shipdir.Running
	_ = shipdir.ReadJSON(s.home.Run(), &r)
	if !r.Agent.Alive() || s.agent.Name == "script" || s.waits.Load() > 0 {
		return proto.Paused{}, nil // its turn is over; the key would end the hook that waits for work
	}
	box := s.agent.Box
	if box == nil || r.Pane == "" {
		if err := syscall.Kill(-r.Agent.PID, syscall.SIGINT); err != nil {
			return proto.Paused{}, fmt.Errorf("interrupt the agent: %w", err)
		}
		return proto.Paused{Was: true}, nil
	}
	idle := func() time.Time { return box.Idle(string(s.home), r.Agent.PID) }
	if !idle().IsZero() {
		return proto.Paused{}, nil
	}
	began := time.Now().Truncate(time.Millisecond)
	_ = r.Tmux(ctx, nil, "copy-mode", "-q", "-t", r.Pane) // else the key ends the scrolling alone
	if err := r.Tmux(ctx, nil, "send-keys", "-t", r.Pane, box.Cancel); err != nil {
		return proto.Paused{}, err
	}
	// The end of an earlier turn may be told only now, and another one have begun since.
	ended := heeded(ctx, func() bool { return !idle().Before(began) })
	return proto.Paused{Was: true, Still: !ended && idle().IsZero()}, ctx.Err()
}

// heeded waits a moment for an interrupt to show.
func heeded(ctx context.Context, over func() bool) bool {
	ctx, cancel := context.WithTimeout(ctx, heedTime)
	defer cancel()
	for !over() {
		if retry.Sleep(ctx, 50*time.Millisecond) != nil {
			return false
		}
	}
	return true
}

func (s *server) interrupted(ctx context.Context) {
	s.book.State(proto.AgentState{State: proto.StateWaiting, Why: proto.Interrupted})
	shipdir.NameWindow(ctx, s.home, proto.StateWaiting)
	s.book.Log("note", "interrupted by the captain", "")
}
