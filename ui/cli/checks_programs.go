package cli

import (
	"ocaptain/fleet"
	"ocaptain/fleet/install"
	"ocaptain/fleet/mix"
	"ocaptain/ui/cli/config"
	"ocaptain/ui/launch"
	"ocaptain/ui/launch/places"
)

// programFindings checks that remote ships can get the ocaptain program that they need.
func programFindings(hub fleet.Hub, c config.Config) []finding {
	mix, _ := mix.Parse(c.Provider, launch.Providers()) // another finding reports a wrong mix
	var all []finding
	for _, arch := range places.Architectures(mix) {
		f := finding{What: "ocaptain for linux " + arch, Need: "ships to run it", State: healthy, Required: true}
		from, err := install.ProgramSource(hub, "linux", arch)
		if f.Found = from; err != nil {
			f.Found, f.State, f.Fix = err.Error(), missing, "build ocaptain from source here, with Go, or get that of the release for ships"
		}
		all = append(all, f)
	}
	return all
}
