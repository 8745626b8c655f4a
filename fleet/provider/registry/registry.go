// Package registry lists the providers that there are.
package registry

import (
	"slices"

	"ocaptain/fleet/provider"
	"ocaptain/fleet/provider/exedev"
	"ocaptain/fleet/provider/hosts"
	"ocaptain/fleet/provider/local"
	"ocaptain/fleet/provider/sprites"
)

// all are the providers in the order in which the captain sees them.
var all = []provider.Descriptor{
	local.Descriptor,
	hosts.Descriptor,
	sprites.Descriptor,
	exedev.Descriptor,
}

// Names are the names of all providers.
func Names() []string {
	names := make([]string, len(all))
	for i, d := range all {
		names[i] = d.Name
	}
	return names
}

// Of returns the descriptor of the provider of that name. An unknown name has an empty one.
func Of(name string) provider.Descriptor {
	if i := slices.IndexFunc(all, func(d provider.Descriptor) bool { return d.Name == name }); i >= 0 {
		return all[i]
	}
	return provider.Descriptor{}
}
