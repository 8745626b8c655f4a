package voyage

import (
	"context"
	"fmt"
	"strings"
	"time"

	"ocaptain/fleet/clean"
	found "ocaptain/fleet/search/discoveries"
	"ocaptain/tasks"
)

// What a planner is told of discoveries: how many, how much of each, and how long its claim may wait for them.
const (
	toldDiscoveries = 5
	toldOfEach      = 200 // bytes
	discoveryTime   = 2 * time.Second
)

// discoveryNotes tell a planner what reviewers found before that fits its epic, as of the commit that it begins with.
func (v *Voyage) discoveryNotes(ctx context.Context, t *tasks.State, commit string) []string {
	if t.Type() != tasks.Epic || !v.info.Search || v.info.Forgetful {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, discoveryTime)
	defer cancel()
	fit := make(chan []found.Discovery, 1)
	go func() {
		all, err := found.Fitting(ctx, v.dir.Workspace(), commit, t.Subject+"\n"+t.Description, toldDiscoveries)
		if err != nil {
			v.log.Warn("no discoveries for an epic", "task", t.ID, "error", err)
		}
		fit <- all
	}()
	select {
	case all := <-fit:
		return discoveryNote(all)
	case <-ctx.Done(): // what ships wrote may take long to compare
		return nil
	}
}

// discoveryNote is a note with a line for each discovery, if there are some.
func discoveryNote(all []found.Discovery) []string {
	if len(all) == 0 {
		return nil
	}
	var b strings.Builder
	b.WriteString("reviewers found this out before; read what concerns the epic:")
	for i := range all {
		fmt.Fprintf(&b, "\n- %s (%s): %s", clean.Line(all[i].File), all[i].Type, clean.Bound(clean.Line(all[i].Title()), toldOfEach))
	}
	return []string{b.String()}
}
