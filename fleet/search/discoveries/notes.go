package discoveries

import (
	"context"
	"fmt"
	"strings"
	"time"

	"ocaptain/fleet/clean"
)

// What helm tells a planner about discoveries: how many, how much of each, and how long its claim may wait for them.
const (
	mostTold  = 5
	mostBytes = 200 // of each
	noteTime  = 2 * time.Second
)

// Notes tell a planner what reviewers found before that fits a text, as of a commit. What ships wrote may take long to compare: then there are
// no notes. failed learns of an error, in a goroutine of its own.
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

// noteOf is a note with a line for each discovery, if there are some.
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
