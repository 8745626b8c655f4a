package cli

import (
	"context"
	"errors"
	"strings"
	"time"

	"ocaptain/fleet/helm"
	"ocaptain/ui/words"
)

// orphanFindings tells of machines that no voyage has. Where helm does not run, this install's own
// record does.
func orphanFindings(ctx context.Context, b *bridge) []finding {
	f := finding{What: "machines", Need: "no bill for what nobody looks after", State: healthy}
	asking, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	var names []string
	all, err := helm.NewClient(b.hub).KnownOrphans(asking)
	for _, o := range all {
		if !o.Doomed { // which the ledger tells of
			names = append(names, o.Name+" at "+o.Provider)
		}
	}
	if err != nil {
		gone, e := helm.AllGone(b.hub)
		if e != nil {
			f.Found, f.State, f.Fix = e.Error(), doubt, "make it readable"
			return []finding{f}
		}
		for _, id := range gone {
			names = append(names, "those of "+id+", whose directory is gone")
		}
	}
	stuck, e := doomedFindings(b)
	if e != nil {
		f.Found, f.State, f.Fix = e.Error(), doubt, "make it readable"
		return []finding{f}
	}
	if len(names) == 0 {
		switch f.Found = "none without a voyage is known"; {
		case errors.Is(err, helm.ErrDown):
			f.Found += "; helm, which looks for them, does not run"
		case err != nil:
			f.Found += ", and helm still looks for them"
		}
		return append([]finding{f}, stuck...)
	}
	const most = 5
	more := ""
	if len(names) > most {
		more = " and " + words.Count(len(names)-most, "other")
		names = names[:most]
	}
	f.Found, f.State, f.Fix = "no voyage has "+strings.Join(names, ", ")+more, doubt, "ocaptain sweep"
	if why, err := helm.Doubt(b.hub); err == nil && why != "" {
		f.Found, f.Fix = f.Found+"; "+why, "mount it; where voyages are gone for certain: ocaptain sweep --force"
	}
	return append([]finding{f}, stuck...)
}

// doomedFindings tells of each machine that helm is at destroying and could not yet, and why.
func doomedFindings(b *bridge) ([]finding, error) {
	all, err := helm.Ledger(b.hub).All()
	var found []finding
	for _, e := range all {
		if e.Doomed {
			found = append(found, finding{
				What: "machine", Need: "no bill for what is to be destroyed", State: doubt, Fix: "cure that; helm goes on trying until it is gone",
				Found: e.Name + " at " + e.Provider + " could not be destroyed and may cost you: " + orWord(e.Why, "it was not tried yet"),
			})
		}
	}
	return found, err
}
