package merge

import (
	"context"
	"fmt"

	"ocaptain/sync"
	"ocaptain/sync/gitflow/branch"
	"ocaptain/sync/gitflow/git"
)

// Land merges the work of a commit that is already in the hub's repository into the branch, as one commit.
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

// landWork merges work that comes from no remote tree.
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

// Revert adds a commit to the branch that undoes an earlier commit. If later commits changed the same lines, the
// error is a *sync.Conflict and nothing changes.
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
	// The work to merge is the difference from the commit back to its parent.
	return m.landWork(ctx, Work{Merge: order, Base: commit, Commit: before})
}

// Conflict returns the error for clashes with head, a commit of the branch. words describes each clash.
func Conflict(head string, clashes []git.Clash, words func(git.Clash) string) *sync.Conflict {
	c := &sync.Conflict{Head: head}
	for _, clash := range clashes {
		c.Paths = append(c.Paths, clash.Path)
		c.Why = append(c.Why, words(clash))
	}
	return c
}
