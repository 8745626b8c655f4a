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
		names = append(names, o.Name+" at "+o.Provider)
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
	if len(names) == 0 {
		switch f.Found = "none without a voyage is known"; {
		case errors.Is(err, helm.ErrDown):
			f.Found += "; helm, which looks for them, does not run"
		case err != nil:
			f.Found += ", and helm still looks for them"
		}
		return []finding{f}
	}
	const most = 5
	more := ""
	if len(names) > most {
		more = " and " + words.Count(len(names)-most, "other")
		names = names[:most]
	}
	f.Found, f.State, f.Fix = "no voyage has "+strings.Join(names, ", ")+more, doubt, "ocaptain sweep"
	return []finding{f}
}
