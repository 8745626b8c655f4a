// Package halt interrupts the agent of a ship without ending its process.
package halt

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"

	"ocaptain/fleet/aboard/shipdir"
	"ocaptain/fleet/agent"
	"ocaptain/fleet/proto"
	"ocaptain/fleet/retry"
)

// heedTime is how long an agent may take to stop after an interrupt.
const heedTime = 3 * time.Second

// Agent is the agent of a ship. While it is being interrupted, nothing else may be typed to it.
type Agent struct {
	Home  shipdir.Dir
	Agent agent.Agent
	Book  *shipdir.Journal
	Waits func() bool // reports whether its turn is over and its hook waits for work, which the key would interrupt
}

// Pause interrupts the agent, which then waits. No hook reports that state, so Pause reports it, with why. Pause does
// nothing to an agent that is not at work, as the key means something else to it.
func (a *Agent) Pause(ctx context.Context, why, note string) (proto.Paused, error) {
	var r shipdir.Running
	if err := shipdir.ReadJSON(a.Home.Run(), &r); err != nil || !r.Agent.Alive() {
		return proto.Paused{}, errors.New("no agent is running that could be interrupted")
	}
	var command shipdir.Process
	if shipdir.ReadJSON(a.Home.Command(), &command) == nil && command.Alive() {
		// The script agent cannot wait for the captain: its task's command fails.
		if err := syscall.Kill(-command.PID, syscall.SIGINT); err != nil {
			return proto.Paused{}, fmt.Errorf("interrupt the task's command: %w", err)
		}
		return proto.Paused{Was: true, Still: true}, nil
	}
	if a.Agent.Turns { // this makes its runner begin no other turn
		if err := shipdir.WriteFile(a.Home.Interrupted(), why); err != nil {
			return proto.Paused{}, err
		}
	}
	p, err := a.StopTurn(ctx)
	if err != nil || !p.Was {
		_ = os.Remove(a.Home.Interrupted())
		return p, err
	}
	if a.Agent.Turns {
		p.Still = !Heeded(ctx, func() bool { return !r.Agent.Alive() })
	}
	if !p.Still {
		a.Book.State(proto.AgentState{State: proto.StateWaiting, Why: why})
		shipdir.NameWindow(ctx, a.Home, proto.StateWaiting)
		a.Book.Log("note", note, "")
	}
	return p, nil
}

// StopTurn interrupts an agent with a model, and reports whether it has stopped.
func (a *Agent) StopTurn(ctx context.Context) (proto.Paused, error) {
	var r shipdir.Running
	_ = shipdir.ReadJSON(a.Home.Run(), &r)
	if !r.Agent.Alive() || a.Agent.Name == "script" || a.Waits() {
		return proto.Paused{}, nil
	}
	box := a.Agent.Box
	if box == nil || r.Pane == "" {
		if err := syscall.Kill(-r.Agent.PID, syscall.SIGINT); err != nil {
			return proto.Paused{}, fmt.Errorf("interrupt the agent: %w", err)
		}
		return proto.Paused{Was: true}, nil
	}
	idle := func() time.Time { return box.Idle(string(a.Home), r.Agent.PID) }
	if !idle().IsZero() {
		return proto.Paused{}, nil
	}
	began := time.Now().Truncate(time.Millisecond)
	_ = r.Tmux(ctx, nil, "copy-mode", "-q", "-t", r.Pane) // in copy mode, the key would only end the scrolling
	if err := r.Tmux(ctx, nil, "send-keys", "-t", r.Pane, box.Cancel); err != nil {
		return proto.Paused{}, err
	}
	// The agent may report the end of an earlier turn only now, and may have begun another since.
	ended := Heeded(ctx, func() bool { return !idle().Before(began) })
	return proto.Paused{Was: true, Still: !ended && idle().IsZero()}, ctx.Err()
}

// Heeded waits up to heedTime for over to become true, and reports whether it did.
func Heeded(ctx context.Context, over func() bool) bool {
	ctx, cancel := context.WithTimeout(ctx, heedTime)
	defer cancel()
	for !over() {
		if retry.Sleep(ctx, 50*time.Millisecond) != nil {
			return false
		}
	}
	return true
}
