package merge

import (
	"context"
	"errors"

	"ocaptain/sync"
	"ocaptain/sync/gitflow/git"
	"ocaptain/sync/gitflow/staging"
)

// BringShared commits the captain's tree as it is: all ships work in it. It is unknown which ship wrote which file,
// so each commit has the whole tree at one moment, and never a selection of files.
func (m *Merger) BringShared(ctx context.Context, order sync.Merge, source *Source) (sync.Merged, error) {
	c := race{apart: true}
	for try := 0; ; try++ {
		p, notes, err := m.sharedWork(ctx, order, source)
		if err != nil {
			return sync.Merged{}, err
		}
		a, err := m.raced(ctx, p, &c)
		if err == nil {
			return a.Outcome(notes...), nil
		}
		if !errors.Is(err, staging.ErrMoved) || try == mergeTries {
			return sync.Merged{}, err
		}
	}
}

// sharedWork returns the captain's tree as work to merge into the branch.
func (m *Merger) sharedWork(ctx context.Context, order sync.Merge, source *Source) (Work, []string, error) {
	base, commit, notes, err := m.Workspace.Capture(ctx)
	if err != nil {
		return Work{}, nil, err
	}
	if err := m.Intake.Judge(ctx, base, commit); err != nil {
		return Work{}, nil, err
	}
	return Work{Merge: order, Base: base, Grown: base, Commit: commit, Source: source, trial: git.RefTrial + order.Name, shared: true}, notes, nil
}
