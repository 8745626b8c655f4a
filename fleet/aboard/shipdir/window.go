package shipdir

import (
	"context"
	"os"
	"strings"

	"ocaptain/fleet/proto"
)

// WindowName returns the name of the tmux window for an agent in that state.
func WindowName(s proto.State) string {
	switch s {
	case proto.StateStarting, proto.StateWorking:
		return "agent:running"
	case proto.StateResting:
		return "agent:completed"
	case proto.StateFailed, proto.StateLimited:
		return "agent:error"
	default:
		return "agent:waiting"
	}
}

// NameWindow shows the state in the name of the runner's window. It runs tmux only when the name changes, since most
// events do not change it.
func NameWindow(ctx context.Context, h Dir, s proto.State) {
	name := WindowName(s)
	var r Running
	if ReadJSON(h.Run(), &r) != nil || r.Window == "" {
		return
	}
	switch {
	case s == proto.StateStarting && isGiven(h):
		name = WindowName(proto.StateIdle) // a worker that was told nothing yet
	case s == proto.StateIdle && (WindowNamed(h, proto.StateWorking) || WindowNamed(h, proto.StateResting)) && isGiven(h):
		name = WindowName(proto.StateResting) // the worker has done what it was told
	}
	now := r.Window + " " + name
	if last, err := os.ReadFile(h.Window()); err == nil && strings.TrimSpace(string(last)) == now {
		return
	}
	if r.Tmux(ctx, nil, "rename-window", "-t", r.Window, name) == nil {
		_ = WriteFile(h.Window(), now+"\n")
	}
}

// isGiven reports whether the ship's agent works on dispatches.
func isGiven(h Dir) bool {
	ship, err := LoadShip(string(h))
	return err == nil && ship.Given
}

// WindowNamed reports whether the window was last named after that state.
func WindowNamed(h Dir, s proto.State) bool {
	last, err := os.ReadFile(h.Window())
	_, name, _ := strings.Cut(strings.TrimSpace(string(last)), " ")
	return err == nil && name == WindowName(s)
}
