package merge

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"ocaptain/sync"
	"ocaptain/sync/gitflow/staging"
	"ocaptain/sync/gitflow/workspace"
)

// quickMerge bounds how long git may merge files while other merges wait. A remote can make git slow: the time grows
// with the square of the lines that differ.
const quickMerge = time.Second

// A merge may keep the lock for twice the time of its longest try and keepSlack, but for no longer than mostKept.
const (
	keepSlack = 10 * time.Second
	mostKept  = 10 * time.Minute
)

// race records a merge's tries so far.
type race struct {
	apart bool          // combine and check without the merge lock
	lost  int           // tries that failed because the branch had moved
	took  time.Duration // time of the longest try
}

// raced makes and checks a merge commit while other merges go on. It takes the merge lock only to see whether the
// branch is still at a.Head, and to move it. After freeTries lost races it keeps the lock from the start.
func (m *Merger) raced(ctx context.Context, p Work, c *race) (a Result, err error) {
	var kept *lease
	if c.lost >= freeTries {
		if kept, err = m.merging.keep(ctx, min(2*c.took+keepSlack, mostKept)); err != nil {
			return a, err
		}
		defer kept.end()
	}
	began := time.Now()
	if err := m.makeChecked(ctx, p, &a); err != nil || len(a.Clashes) > 0 {
		return a, err
	}
	c.took = max(c.took, time.Since(began))
	defer func() { err = errors.Join(err, m.dropTrial(ctx, p)) }()
	if !kept.settle() {
		if err := m.merging.lock(ctx); err != nil {
			return a, err
		}
		defer m.merging.unlock()
	}
	if err = m.settle(ctx, p, &a); errors.Is(err, staging.ErrMoved) {
		c.lost++
	}
	return a, err
}

// settle moves the branch to the checked commit if the branch is still at a.Head. The caller has the merge lock.
func (m *Merger) settle(ctx context.Context, p Work, a *Result) error {
	if m.Upstream != nil {
		return m.publish(ctx, p, a)
	}
	w, release, err := m.Workspace.Take(ctx)
	if err != nil {
		return err
	}
	defer release()
	if err := m.checkUnmoved(ctx, w, *a); err != nil {
		return err
	}
	return finish(ctx, w, p, a)
}

// makeChecked makes the merge commit and has it checked. If it returns no error and no clashes, the ref p.trial keeps the
// commit alive.
func (m *Merger) makeChecked(ctx context.Context, p Work, a *Result) error {
	keep, err := m.Upkeep.KeepObjects(ctx)
	if err != nil {
		return err
	}
	defer func() { keep() }()
	a.Base = p.Base
	if a.Head, a.notes, err = m.parent(ctx, p); err != nil {
		return err
	}
	if p.Before != nil && p.Aside == "" && p.Onto == "" {
		if err := p.Before(ctx, a.Head); err != nil {
			return err
		}
	}
	r, err := m.Repo.Disarm(ctx)
	if err != nil {
		return err
	}
	began := time.Now()
	err = m.combine(ctx, r, p, a)
	if p.Source != nil {
		p.Source.Slow = time.Since(began) > quickMerge
	}
	if err != nil || len(a.Clashes) > 0 {
		return err
	}
	if err := m.Repo.UpdateRefs(ctx, "update "+p.trial+" "+a.Commit); err != nil {
		return err
	}
	keep()
	if p.Check == nil || p.Source == nil && a.Commit == a.Head { // the branch already has this work
		return nil
	}
	if err := p.Check(ctx, a.Commit); err != nil {
		return errors.Join(err, m.dropTrial(ctx, p))
	}
	return nil
}

// parent returns the commit that the work goes on top of, and notes for the captain.
func (m *Merger) parent(ctx context.Context, p Work) (string, []string, error) {
	switch {
	case p.Onto != "" || p.Stacked || p.shared:
		return p.Base, nil, nil
	case p.On != "":
		return p.On, nil, nil
	case p.Aside != "":
		return m.GatherUnlessKept(ctx)
	}
	return m.gather(ctx)
}

// gather commits the captain's edits, fetches what other hubs have pushed, and returns the head of the branch after
// that.
func (m *Merger) gather(ctx context.Context) (string, []string, error) {
	if m.Upstream != nil {
		return m.Upstream.Bring(ctx, m.Workspace)
	}
	return m.Workspace.Gather(ctx)
}

// dropTrial deletes the ref that kept a merge commit alive while it was judged.
func (m *Merger) dropTrial(ctx context.Context, p Work) error {
	return m.Repo.UpdateRefs(context.WithoutCancel(ctx), "delete "+p.trial)
}

// checkUnmoved returns an error unless the branch is still at a.Head and a.Commit adds exactly the judged tree to it.
func (m *Merger) checkUnmoved(ctx context.Context, w *workspace.Tree, a Result) error {
	now, err := w.Resolve(ctx, m.Branch.Ref()+"^{commit}", a.Commit+"^{tree}", a.Commit+"^1")
	switch {
	case err != nil:
		return err
	case now[0] != a.Head:
		return staging.ErrMoved
	case a.Commit == a.Head:
		return nil
	case now[1] != a.Tree || now[2] != a.Head:
		return fmt.Errorf("commit %s is not what was judged", a.Commit)
	}
	return nil
}

// tooSlow returns the error for work that git can't merge in time. It names the files that both the work and the
// branch changed.
func (m *Merger) tooSlow(ctx context.Context, base, snapshot string) error {
	head, err := m.Branch.Head(ctx)
	if err != nil {
		return err
	}
	theirs, err := m.Repo.Changes(ctx, base, snapshot)
	if err != nil {
		return err
	}
	ours, err := m.Repo.Changes(ctx, base, head)
	if err != nil {
		return err
	}
	no := &sync.Refused{Why: fmt.Sprintf("git takes longer than %s to merge files that you and the branch changed: take the "+
		"branch's version of the largest, change fewer of its lines, and complete again", m.Repo.MergeTime)}
	for path := range theirs {
		if _, both := ours[path]; both {
			no.Paths = append(no.Paths, path)
		}
	}
	slices.Sort(no.Paths)
	return no
}

// GatherUnlessKept is gather for callers that need no newest head, such as a claim. While a merge keeps the merge
// lock, it does not move the branch and returns its head.
func (m *Merger) GatherUnlessKept(ctx context.Context) (string, []string, error) {
	if !m.merging.isKept() {
		return m.gather(ctx)
	}
	head, err := m.Branch.Head(ctx)
	return head, []string{"the captain's edits are not brought along for now: a merge that lost to others before is being checked"}, err
}
