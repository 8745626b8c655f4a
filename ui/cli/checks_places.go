package cli

import (
	"context"
	"strings"

	"ocaptain/fleet"
	"ocaptain/fleet/install"
	"ocaptain/fleet/provider/describe"
	"ocaptain/fleet/provider/registry"
	"ocaptain/ui/cli/config"
	"ocaptain/ui/launch/places"
)

// placeFindings checks the captain's existing machines before ships are put on them, the machines of one provider
// concurrently.
func placeFindings(ctx context.Context, hub fleet.Hub, c config.Config) (all []finding) {
	for _, d := range registry.All() {
		if d.Places != nil {
			all = append(all, machinesOf(ctx, hub, d, c)...)
		}
	}
	return all
}

// machinesOf checks the machines of a provider.
func machinesOf(ctx context.Context, hub fleet.Hub, d describe.Provider, c config.Config) (all []finding) {
	chosen, need := shipsFrom(c, d.Name), "ships "+d.Where
	looks, err := places.Look(ctx, hub, d, c)
	switch {
	case err != nil:
		return []finding{{What: d.Name, Found: err.Error(), Need: need, State: missing, Required: chosen}}
	case len(looks) == 0 && chosen:
		return []finding{{What: d.Name, Found: "none is configured", Need: need, Fix: "name them in " + hub.ConfigFile() + ", like: " + d.Sample, State: missing, Required: true}}
	}
	for _, l := range looks {
		f := finding{What: l.Name, Need: need, State: healthy, Required: chosen}
		if l.Err != nil {
			f.Found, f.State, f.Fix = l.Err.Error(), missing, "cure that, or take the host out of "+hub.ConfigFile()
		} else {
			f.judge(hub, l)
		}
		all = append(all, f)
	}
	return all
}

// judge records what is wrong with a machine that answers.
func (f *finding) judge(hub fleet.Hub, l describe.Place) {
	doubts := l.Doubts
	_, noProgram := install.ProgramSource(hub, l.OS, l.Arch)
	if noProgram != nil {
		doubts = append(doubts, noProgram.Error())
	}
	if l.Walls != "" {
		doubts = append(doubts, "ships cannot be confined: "+l.Walls)
	}
	f.Fix = l.Fix
	switch {
	case noProgram != nil:
		f.State, f.Fix = missing, "build ocaptain from source here, with Go, or get that of the release for ships"
	case len(l.Missing) > 0:
		f.State, f.Fix = missing, "install there: "+strings.Join(l.Missing, ", ")
	case len(doubts) > 0:
		f.State = doubt
	}
	f.Found = strings.Join(append(doubts, l.Said...), ", ")
}
