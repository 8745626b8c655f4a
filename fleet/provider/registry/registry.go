// Package registry lists the providers that there are.
package registry

import (
	"slices"

	"ocaptain/fleet/provider/describe"
	"ocaptain/fleet/provider/exedev"
	"ocaptain/fleet/provider/hosts"
	"ocaptain/fleet/provider/local"
	"ocaptain/fleet/provider/sprites"
)

// all are the providers in the order in which the captain sees them.
var all = []describe.Provider{
	local.Descriptor,
	hosts.Descriptor,
	sprites.Descriptor,
	exedev.Descriptor,
}

// All are the descriptors of all providers.
func All() []describe.Provider { return all }

// Names are the names of all providers.
func Names() []string {
	names := make([]string, len(all))
	for i, d := range all {
		names[i] = d.Name
	}
	return names
}

// Of returns the descriptor of the provider of that name. An unknown name has an empty one.
func Of(name string) describe.Provider {
	if i := slices.IndexFunc(all, func(d describe.Provider) bool { return d.Name == name }); i >= 0 {
		return all[i]
	}
	return describe.Provider{}
}
