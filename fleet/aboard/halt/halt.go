// Package halt interrupts the agent of a ship, which lives on.
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

// heedTime is how long an agent may take to stop what it does.
const heedTime = 3 * time.Second

// Agent is the agent of a ship. Nothing may be typed to it meanwhile.
type Agent struct {
	Home  shipdir.Dir
	Agent agent.Agent
	Book  *shipdir.Journal
	Waits func() bool // its turn is over, and its hook waits for work: the key would end that
}

// Pause interrupts the agent. The agent lives on and waits: no hook reports that, so Pause does, and why. Pause
// leaves an agent that does not work alone, as the key then means something else to it.
func (a *Agent) Pause(ctx context.Context, why, note string) (proto.Paused, error) {
	var r shipdir.Running
	if err := shipdir.ReadJSON(a.Home.Run(), &r); err != nil || !r.Agent.Alive() {
		return proto.Paused{}, errors.New("no agent is running that could be interrupted")
	}
	var command shipdir.Process
	if shipdir.ReadJSON(a.Home.Command(), &command) == nil && command.Alive() {
		// The agent without a model cannot wait for the captain: what its task runs fails.
		if err := syscall.Kill(-command.PID, syscall.SIGINT); err != nil {
			return proto.Paused{}, fmt.Errorf("interrupt the task's command: %w", err)
		}
		return proto.Paused{Was: true, Still: true}, nil
	}
	if a.Agent.Turns { // its runner begins no other turn then
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

// StopTurn interrupts an agent with a model, and looks whether it heeds.
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
	_ = r.Tmux(ctx, nil, "copy-mode", "-q", "-t", r.Pane) // else the key ends the scrolling alone
	if err := r.Tmux(ctx, nil, "send-keys", "-t", r.Pane, box.Cancel); err != nil {
		return proto.Paused{}, err
	}
	// The end of an earlier turn may be told only now, and another one have begun since.
	ended := Heeded(ctx, func() bool { return !idle().Before(began) })
	return proto.Paused{Was: true, Still: !ended && idle().IsZero()}, ctx.Err()
}

// Heeded waits a moment for an interrupt to show.
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
