package places

import (
	"slices"

	"ocaptain/fleet/mix"

	"ocaptain/fleet"
	"ocaptain/fleet/install"
	"ocaptain/fleet/provider/registry"
	"ocaptain/ui/launch/problem"
)

// Architectures lists the architectures, by Go's names, that ships of a mix need, as far as that is known before they
// exist. Local ships run the present ocaptain, and hosts are examined.
func Architectures(m mix.Mix) []string {
	var archs []string
	for _, p := range m {
		if arch := registry.Of(p.Provider).Arch; arch != "" && !slices.Contains(archs, arch) {
			archs = append(archs, arch)
		}
	}
	return archs
}

// Programs checks that there is an ocaptain program for ships of each architecture.
func Programs(hub fleet.Hub, archs ...string) error {
	slices.Sort(archs)
	for _, arch := range slices.Compact(archs) {
		if _, err := install.ProgramSource(hub, "linux", arch); err != nil {
			return &problem.Problem{Kind: problem.Missing, Field: problem.Provider, Err: err}
		}
	}
	return nil
}
