package cli

import (
	"context"
	"strings"

	"ocaptain/fleet"
	"ocaptain/fleet/helm"
	"ocaptain/fleet/machines"
	"ocaptain/ui/launch"
	"ocaptain/ui/words"
)

// machineFindings tell of all machines of this install: how many there are, those that no voyage has, and those
// that are to be destroyed and are not proven to be gone.
func machineFindings(ctx context.Context, b *bridge) []finding {
	f := finding{What: "machines", Need: "what you may be charged for: all ships of this install", State: healthy}
	c := launch.CountMachines(ctx, b.hub)
	f.Found = words.Machines(c.Providers)
	for _, t := range c.Providers {
		if t.Why != "" {
			f.State, f.Fix = doubt, "look there yourself, until "+t.Provider+" can be asked again"
		}
	}
	return append(append([]finding{f}, orphanFinding(b, c)), unwantedFindings(b)...)
}

// orphanFinding tells of machines that no voyage has and that nobody destroys.
func orphanFinding(b *bridge, c machines.Counts) finding {
	f := finding{What: "machines", Need: "no bill for what nobody looks after", State: healthy, Found: "none without a voyage is known"}
	var names []string
	for _, o := range c.Orphans {
		if !o.Unwanted {
			names = append(names, o.Name+" at "+o.Provider)
		}
	}
	if len(names) == 0 {
		return f
	}
	const most = 5
	more := ""
	if len(names) > most {
		more = " and " + words.Counted(len(names)-most, "other")
		names = names[:most]
	}
	f.Found, f.State, f.Fix = "no voyage has "+strings.Join(names, ", ")+more, doubt, "ocaptain sweep"
	if why, err := helm.Machines(b.hub).Unmounted(b.hub.Voyages); err == nil && why != "" {
		f.Found, f.Fix = f.Found+"; "+why, "mount it; where voyages are gone for certain: ocaptain sweep --force"
	}
	return f
}

// unwantedFindings tell of each machine that helm is at destroying, and how far that is.
func unwantedFindings(b *bridge) []finding {
	all, err := helm.Machines(b.hub).All()
	if err != nil {
		return []finding{{What: "machines", Need: "no bill for what is to be destroyed", State: doubt, Found: err.Error(), Fix: "make it readable"}}
	}
	var found []finding
	for _, r := range all {
		if r.Unwanted && !r.Gone {
			found = append(found, finding{
				What: "machine", Need: "no bill for what is to be destroyed", State: doubt, Fix: "cure that if you can; " + fleet.UntilGone,
				Found: r.Name + " at " + r.Provider + " is not proven to be gone and may cost you: " + orWord(r.Trouble, "it was not tried yet"),
			})
		}
	}
	return found
}
