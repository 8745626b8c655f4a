package cli

import (
	"os/exec"
	"path/filepath"
	"strings"

	"ocaptain/fleet"
	"ocaptain/ui/cli/config"
)

// notifyFinding checks that the program exists that notifies the captain. It does not run the program.
func notifyFinding(hub fleet.Hub, c config.Config) finding {
	f := finding{What: "notify", Need: "calling you when no dashboard is open", State: healthy}
	if len(c.Notify) == 0 {
		f.Found = "not set in " + hub.ConfigFile() + ", so that only the dashboard calls you"
		return f
	}
	program := c.Notify[0]
	if strings.Contains(program, "/") && !filepath.IsAbs(program) {
		program = filepath.Join(hub.Home, program) // the directory in which helm starts it
	}
	path, err := exec.LookPath(program)
	if f.Found = path; err != nil {
		f.Found, f.State, f.Fix = err.Error(), doubt, "correct notify at "+c.SourceOf("notify")+", with the program's whole path, or install it"
	}
	return f
}
