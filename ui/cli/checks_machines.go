package cli

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"ocaptain/fleet"
	"ocaptain/fleet/clean"
	"ocaptain/fleet/install"
	"ocaptain/fleet/machines"
	"ocaptain/ui/launch/places"
	"ocaptain/ui/words"
)

// machineFindings report on all machines of this install: how many there are, which belong to no voyage, and which are being
// destroyed and not proven to be gone.
func machineFindings(ctx context.Context, b *bridge) []finding {
	f := finding{What: "machines", Need: "what you may be charged for: all ships of this install", State: healthy}
	c := places.CountMachines(ctx, b.hub)
	f.Found = words.Machines(c.Providers)
	for _, t := range c.Providers {
		if t.Why != "" {
			f.State, f.Fix = doubt, "look there yourself, until "+t.Provider+" can be asked again"
		}
	}
	found := []finding{f, orphanFinding(b, c)}
	if len(c.Others) > 0 {
		found = append(found, othersFinding(c.Others))
	}
	return append(found, unwantedFindings(b)...)
}

// installFinding says what marks the machines of this install.
func installFinding(b *bridge) finding {
	f := finding{What: "install", Need: "telling which machines at a provider are made from here", State: healthy}
	if _, err := os.Stat(filepath.Join(b.hub.State, "install")); errors.Is(err, fs.ErrNotExist) {
		f.Found = "nothing was made from here yet"
		return f
	}
	id, err := install.ID(b.hub)
	if err != nil {
		f.Found, f.State, f.Fix = err.Error(), doubt, "make it readable"
		return f
	}
	host, _ := os.Hostname()
	f.Found = id + " on " + clean.Line(host)
	return f
}

// othersFinding reports machines at the captain's providers that may be billed to the captain but do not belong to this
// install.
func othersFinding(others []machines.Orphan) finding {
	return finding{
		What: "machines", Need: "no bill for another install's machines that it has forgotten", State: doubt,
		Found: "not this install's are " + namesOf(others), Fix: "see their age and install with: ocaptain sweep --dry-run; destroy one with: ocaptain sweep NAME",
	}
}

// namesOf names a few machines, and counts the rest.
func namesOf(all []machines.Orphan) string {
	var names []string
	for _, o := range all {
		names = append(names, o.Name+" at "+o.Provider)
	}
	return words.Few(names)
}

// orphanFinding reports machines that belong to no voyage and that helm is not destroying.
func orphanFinding(b *bridge, c machines.Counts) finding {
	f := finding{What: "machines", Need: "no bill for machines without a voyage", State: healthy, Found: "none without a voyage is known"}
	left := slices.DeleteFunc(slices.Clone(c.Orphans), func(o machines.Orphan) bool { return o.Unwanted })
	if len(left) == 0 {
		return f
	}
	f.Found, f.State, f.Fix = "no voyage has "+namesOf(left), doubt, "ocaptain sweep"
	if why, err := machines.Of(b.hub).Unmounted(b.hub.Voyages); err == nil && why != "" {
		f.Found, f.Fix = f.Found+"; "+why, "mount it; where voyages are gone for certain: ocaptain sweep --force"
	}
	return f
}

// unwantedFindings report each machine that helm is destroying, and its progress.
func unwantedFindings(b *bridge) []finding {
	all, err := machines.Of(b.hub).All()
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
