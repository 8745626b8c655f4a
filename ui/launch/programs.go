package launch

import (
	"slices"

	"ocaptain/fleet/mix"

	"ocaptain/fleet"
	"ocaptain/fleet/install"
	"ocaptain/fleet/provider/registry"
)

// Architectures are the architectures, as Go names them, that ships of a mix have as far as that is
// known before there are any. Local ships run the ocaptain that is here, and hosts are looked at.
func Architectures(m mix.Mix) []string {
	var archs []string
	for _, p := range m {
		if arch := registry.Of(p.Provider).Arch; arch != "" && !slices.Contains(archs, arch) {
			archs = append(archs, arch)
		}
	}
	return archs
}

// Programs makes sure that there is an ocaptain for ships of each architecture.
func Programs(hub fleet.Hub, archs ...string) error {
	slices.Sort(archs)
	for _, arch := range slices.Compact(archs) {
		if _, err := install.ProgramSource(hub, "linux", arch); err != nil {
			return &Problem{Kind: Missing, Field: Provider, Err: err}
		}
	}
	return nil
}
