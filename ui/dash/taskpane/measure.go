package taskpane

import (
	"context"
	"slices"

	"ocaptain/fleet"
	"ocaptain/tasks"
	"ocaptain/ui/changes"
)

// maxAtOnce bounds how many changes are counted before the result is shown.
const maxAtOnce = 50

// Unmeasured returns completed dispatches without a known size of change, newest first.
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

// Measure counts the changes of dispatches, by commit. A size that cannot be counted is nil. Measure waits
// for git.
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

// SetSizes adds the sizes from Measure.
func (p *Pane) SetSizes(sizes map[string]*changes.Size) {
	for commit, s := range sizes {
		p.sizes[commit] = s
	}
}
