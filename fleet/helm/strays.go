package helm

import (
	"context"
	"slices"

	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/provider"
)

// onTailnet is in the place of a provider where devices and keys on the tailnet are told of.
const onTailnet = "tailnet"

// findStrays tells what this install wrote down of machines on the tailnet that no ship needs. Devices that it did
// not write down are not told of: they may be anybody's.
func (h *Helm) findStrays(ctx context.Context) ([]found, error) {
	strays, err := h.strays(ctx)
	var all []found
	for _, s := range strays {
		if !s.Ours {
			continue
		}
		f := found{Orphan: api.Orphan{
			Provider: onTailnet, Name: s.Berth.Machine, ID: s.Berth.Node, Voyage: s.Berth.Voyage, Install: h.install,
			Created: s.Berth.Began, State: provider.Unknown, Doomed: s.Berth.Leaving,
			Why: "a key or device of a machine that no voyage has; none is listed yet, or any more",
		}}
		if s.Device != nil {
			f.ID, f.Seen, f.Why = s.Device.ID, true, "a device of a machine that no voyage has"
		}
		all = append(all, f)
	}
	return all, err
}

// alone drops those strays that go with their machine, which is among the orphans.
func alone(strays, machines []found) []found {
	return slices.DeleteFunc(strays, func(s found) bool {
		return slices.ContainsFunc(machines, func(m found) bool { return !m.others && m.Name == s.Name && Joins(m.Provider) })
	})
}
