package cli

import (
	"context"
	"fmt"
	"strings"

	"ocaptain/fleet"
	"ocaptain/ui/cli/config"
	"ocaptain/ui/launch"
)

// networkFinding tells whether local ships have networks of their own, and what of this machine they reach.
func networkFinding(ctx context.Context, hub fleet.Hub, c config.Config) finding {
	f := finding{What: "network", Need: "agents on local ships to reach nothing that listens on this machine", State: healthy}
	if !shipsFrom(c, "local") {
		f.Found = "not asked, as ships are on other machines"
		return f
	}
	if err := launch.Network(ctx, hub); err != nil {
		f.Found, f.State, f.Fix = "shared with this machine: "+err.Error(), doubt, launch.Install("passt")
		return f
	}
	f.Found = "of each ship's own; local.expose names no port of this machine"
	if ports := c.Local.Expose; len(ports) > 0 {
		f.Found = "of each ship's own, and port " + strings.Trim(strings.ReplaceAll(fmt.Sprint(ports), " ", ", "), "[]") + " of this machine"
	}
	return f
}
