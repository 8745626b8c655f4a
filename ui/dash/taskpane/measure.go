package taskpane

import (
	"context"
	"slices"

	"ocaptain/fleet"
	"ocaptain/tasks"
	"ocaptain/ui/changes"
)

// maxAtOnce bounds how much work is counted before what is known is shown.
const maxAtOnce = 50

// Unmeasured are dispatches that are done and of which it is not known how much they changed, the newest first.
func (p *Pane) Unmeasured() (some []tasks.State) {
	if !p.IsPool() {
		return nil
	}
	for i := range p.All {
		t := &p.All[i]
		if _, known := p.sizes[t.Commit]; t.Status == tasks.Completed && t.Commit != "" && !known {
			some = append(some, *t)
		}
	}
	slices.SortFunc(some, func(a, b tasks.State) int { return b.CompletedAt.Compare(a.CompletedAt) })
	return some[:min(len(some), maxAtOnce)]
}

// Measure counts what dispatches changed, by commit. Of what cannot be counted nothing is told. It takes as long as git does.
func Measure(ctx context.Context, d fleet.Dir, all []tasks.State) map[string]*changes.Size {
	sizes := map[string]*changes.Size{}
	for i := range all {
		t := &all[i]
		sizes[t.Commit] = nil
		if s, err := changes.OfDispatch(t).Size(ctx, d); err == nil {
			sizes[t.Commit] = &s
		}
	}
	return sizes
}

// SetSizes shows what Measure has counted.
func (p *Pane) SetSizes(sizes map[string]*changes.Size) {
	for commit, s := range sizes {
		p.sizes[commit] = s
	}
}
