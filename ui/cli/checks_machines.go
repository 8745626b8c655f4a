package cli

import (
	"context"

	"ocaptain/fleet"
	"ocaptain/ui/launch"
	"ocaptain/ui/words"
)

// machinesFinding counts all machines of this install.
func machinesFinding(ctx context.Context, hub fleet.Hub) finding {
	f := finding{What: "machines", Need: "what you may be charged for: all ships of this install", State: healthy}
	all := launch.Census(ctx, hub)
	f.Found = words.Machines(all)
	for _, t := range all {
		if t.Why != "" {
			f.State, f.Fix = doubt, "look there yourself, until "+t.Provider+" can be asked again"
		}
	}
	return f
}
