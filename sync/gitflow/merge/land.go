package merge

import (
	"context"
	"fmt"

	"ocaptain/sync"
	"ocaptain/sync/gitflow/branch"
	"ocaptain/sync/gitflow/git"
)

// Land brings the work in a commit of the hub's own into the branch as one commit.
func (m *Merger) Land(ctx context.Context, commit string, order sync.Merge) (sync.Merged, error) {
	done, err := branch.Persist(ctx, m.Branch, func() (sync.Merged, error) { return m.land(ctx, commit, order) })
	if err != nil {
		return sync.Merged{}, fmt.Errorf("land: %w", err)
	}
	return done, nil
}

func (m *Merger) land(ctx context.Context, commit string, order sync.Merge) (sync.Merged, error) {
	if err := checkLand(order); err != nil {
		return sync.Merged{}, err
	}
	base, err := m.Branch.Parent(ctx, commit)
	if err == nil && order.On != "" {
		err = m.Branch.Check(ctx, order.On)
	}
	if err != nil {
		return sync.Merged{}, err
	}
	return m.landWork(ctx, Work{Merge: order, Base: base, Commit: commit})
}

// landWork brings work home that comes from no remote tree.
func (m *Merger) landWork(ctx context.Context, p Work) (sync.Merged, error) {
	p.trial = fmt.Sprintf("%s=%d", git.RefTrial, m.landed.Add(1)) // no remote's name has an equals sign
	a, err := m.bring(ctx, p)
	if err != nil {
		return sync.Merged{}, err
	}
	if len(a.Clashes) > 0 {
		return sync.Merged{}, Conflict(a.Head, a.Clashes, git.Clash.Describe)
	}
	return a.Outcome(), nil
}

// Revert takes what a commit of the branch changed back, as one commit more on the branch. Where later commits changed the same lines it is
// a *sync.Conflict, and nothing changes.
func (m *Merger) Revert(ctx context.Context, commit string, order sync.Merge) (sync.Merged, error) {
	done, err := branch.Persist(ctx, m.Branch, func() (sync.Merged, error) { return m.revert(ctx, commit, order) })
	if err != nil {
		return sync.Merged{}, fmt.Errorf("revert: %w", err)
	}
	return done, nil
}

func (m *Merger) revert(ctx context.Context, commit string, order sync.Merge) (sync.Merged, error) {
	if err := checkLand(order); err != nil {
		return sync.Merged{}, err
	}
	before, err := m.Branch.Parent(ctx, commit)
	if err != nil {
		return sync.Merged{}, err
	}
	// The work goes from the commit to the one before it.
	return m.landWork(ctx, Work{Merge: order, Base: commit, Commit: before})
}

// Conflict tells of clashes with a commit of the branch, each in the given words.
func Conflict(head string, clashes []git.Clash, words func(git.Clash) string) *sync.Conflict {
	c := &sync.Conflict{Head: head}
	for _, clash := range clashes {
		c.Paths = append(c.Paths, clash.Path)
		c.Why = append(c.Why, words(clash))
	}
	return c
}
