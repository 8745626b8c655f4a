package aboard

import (
	"context"
	"os"
	"strings"

	"ocaptain/fleet/proto"
)

// windowName is what the tmux window of an agent in that state is called.
func windowName(s proto.State) string {
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

// nameWindow shows the state in the name of the runner's window. It asks tmux only
// when the name changes, since most events leave it as it is.
func nameWindow(ctx context.Context, h home, s proto.State) {
	name := windowName(s)
	var r running
	if readJSON(h.run(), &r) != nil || r.Window == "" {
		return
	}
	now := r.Window + " " + name
	if last, err := os.ReadFile(h.window()); err == nil && strings.TrimSpace(string(last)) == now {
		return
	}
	if r.tmux(ctx, nil, "rename-window", "-t", r.Window, name) == nil {
		_ = writeFile(h.window(), now+"\n")
	}
}

// windowNamed reports whether the window was last given the name of that state.
func windowNamed(h home, s proto.State) bool {
	last, err := os.ReadFile(h.window())
	_, name, _ := strings.Cut(strings.TrimSpace(string(last)), " ")
	return err == nil && name == windowName(s)
}
