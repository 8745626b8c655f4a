// Package registry lists all providers.
package registry

import (
	"slices"

	"ocaptain/fleet/provider/describe"
	"ocaptain/fleet/provider/exedev"
	"ocaptain/fleet/provider/hosts"
	"ocaptain/fleet/provider/local"
	"ocaptain/fleet/provider/sprites"
	"ocaptain/fleet/tools"
)

// all are all providers, in the order in which the captain sees them.
var all = []describe.Provider{
	local.Descriptor,
	hosts.Descriptor,
	sprites.Descriptor,
	exedev.Descriptor,
}

// All returns the descriptors of all providers.
func All() []describe.Provider { return all }

// Add adds a provider to the list; tests do, with a provider of their own. Call it before all else.
func Add(d describe.Provider) { all = append(all, d) }

// Names returns the names of all providers.
func Names() []string {
	names := make([]string, len(all))
	for i, d := range all {
		names[i] = d.Name
	}
	return names
}

// Here returns the provider of ships on the captain's machine.
func Here() describe.Provider {
	return all[slices.IndexFunc(all, func(d describe.Provider) bool { return d.Here })]
}

// HasCosts reports whether a provider charges for its machines.
func HasCosts(name string) bool {
	d := Of(name)
	return d.Name != "" && !d.Owned
}

// Tools returns the programs that the captain's machine needs for ships of the providers for which from returns true.
func Tools(from func(provider string) bool) []tools.Tool {
	needed := []tools.Tool{tools.Git}
	for _, d := range all {
		for _, t := range d.Tools {
			if from(d.Name) && !slices.ContainsFunc(needed, func(n tools.Tool) bool { return n.Name == t.Name }) {
				needed = append(needed, t)
			}
		}
	}
	return needed
}

// KeepAwake returns the function that keeps this machine from being paused, nil if it is never paused.
func KeepAwake() describe.KeepAwake {
	for _, d := range all {
		if d.Awake == nil {
			continue
		}
		if keep := d.Awake(); keep != nil {
			return keep
		}
	}
	return nil
}

// Of returns the descriptor of the provider of that name, an empty one for an unknown name.
func Of(name string) describe.Provider {
	if i := slices.IndexFunc(all, func(d describe.Provider) bool { return d.Name == name }); i >= 0 {
		return all[i]
	}
	return describe.Provider{}
}
