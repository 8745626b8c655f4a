package cli

import (
	"fmt"
	"strings"

	"ocaptain/ui/cli/config"
	"ocaptain/ui/launch/places"
)

// checksFinding says whether checks on local ships run in a sandbox of their own.
func checksFinding(c config.Config, confinement, network func() error) finding {
	f := finding{What: "checks", Need: "verify.sh and the checks of tasks to reach nothing of the ship that they run on", State: healthy}
	switch {
	case !shipsHere(c):
		f.Found = "not asked, as ships are on other machines; each is looked at when it is provisioned, and status tells"
	case confinement() != nil:
		f.Found, f.State, f.Fix = "have all that their ship's agent has", doubt, places.Walling()
	case network() != nil:
		f.Found, f.State, f.Fix = "reach what listens on their ship", doubt, places.Install("passt")
	default:
		f.Found = "are behind walls of their own"
	}
	return f
}

// networkFinding says whether local ships have networks of their own, and what of this machine they reach.
func networkFinding(c config.Config, network func() error) finding {
	f := finding{What: "network", Need: "agents on local ships to reach nothing that listens on this machine", State: healthy}
	if !shipsHere(c) {
		f.Found = "not asked, as ships are on other machines"
		return f
	}
	if err := network(); err != nil {
		f.Found, f.State, f.Fix = "shared with this machine: "+err.Error(), doubt, places.Install("passt")
		return f
	}
	f.Found = "of each ship's own; local.expose names no port of this machine"
	if ports := c.Local.Expose; len(ports) > 0 {
		f.Found = "of each ship's own, and port " + strings.Trim(strings.ReplaceAll(fmt.Sprint(ports), " ", ", "), "[]") + " of this machine"
	}
	return f
}
