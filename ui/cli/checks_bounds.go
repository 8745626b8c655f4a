package cli

import (
	"context"
	"fmt"

	"ocaptain/fleet"
	"ocaptain/ui/cli/config"
	"ocaptain/ui/launch/places"
)

// boundsFinding says how much of this machine local ships may use.
func boundsFinding(ctx context.Context, hub fleet.Hub, c config.Config) finding {
	f := finding{What: "bounds", Need: "agents on local ships to leave this machine usable", State: healthy}
	if !shipsHere(c) {
		f.Found = "not asked, as ships are on other machines"
		return f
	}
	most, means, why, err := places.Bounds(ctx, hub)
	if err != nil {
		f.Found, f.State = err.Error(), doubt
		return f
	}
	f.Found = fmt.Sprintf("each ship has %d processes", most.Processes)
	if most.Disk > 0 {
		f.Found += fmt.Sprintf(", %d MB of disk", most.Disk>>20)
	}
	if why != nil {
		f.Found += "; its memory is not bounded, as " + why.Error() + "; when memory runs out, its processes are the first that the kernel ends"
		return f
	}
	f.Found += fmt.Sprintf(" and %d MB of memory, by %s", most.Memory>>20, means)
	return f
}
