package discoveries

import (
	"context"
	"fmt"
	"strings"
	"time"

	"ocaptain/fleet/clean"
)

// Limits of the discoveries that helm tells a planner: how many, how much of each, and how long a claim may wait for
// them.
const (
	mostTold  = 5
	mostBytes = 200 // of each discovery
	noteTime  = 2 * time.Second
)

// Notes returns notes for a planner about discoveries in a commit that fit a text. If comparing takes too long, which a ship's text may cause,
// it returns none. failed is called with an error, in another goroutine.
func Notes(ctx context.Context, workspace, commit, text string, failed func(error)) []string {
	ctx, cancel := context.WithTimeout(ctx, noteTime)
	defer cancel()
	fit := make(chan []Discovery, 1)
	go func() {
		all, err := Fitting(ctx, workspace, commit, text, mostTold)
		if err != nil {
			failed(err)
		}
		fit <- all
	}()
	select {
	case all := <-fit:
		return noteOf(all)
	case <-ctx.Done():
		return nil
	}
}

// noteOf returns a note with a line for each discovery, none if there are none.
func noteOf(all []Discovery) []string {
	if len(all) == 0 {
		return nil
	}
	var b strings.Builder
	b.WriteString("reviewers found this out before; read what concerns the epic:")
	for i := range all {
		fmt.Fprintf(&b, "\n- %s (%s): %s", clean.Line(all[i].File), all[i].Type, clean.Bound(clean.Line(all[i].Title()), mostBytes))
	}
	return []string{b.String()}
}
