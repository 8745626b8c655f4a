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

// quickMerge is how long git may merge files while other merges wait. The time depends on what a remote wrote: it grows
// with the square of the lines that differ.
const quickMerge = time.Second

// keepSlack is how much longer than twice its longest try a merge may keep the lock, and mostKept the most.
const (
	keepSlack = 10 * time.Second
	mostKept  = 10 * time.Minute
)

// race is what became of a merge's tries so far.
type race struct {
	apart bool          // the merge is made without the lock
	lost  int           // tries after which the branch was found moved
	took  time.Duration // the longest try
}

// raced makes and checks an attempt while others merge. It takes the merge lock only to see whether the branch is still
// at the attempt's head, and to move it.
func (m *Merger) raced(ctx context.Context, p Work, c *race) (a Result, err error) {
	var kept *lease
	if c.lost >= freeTries {
		if kept, err = m.merging.keep(ctx, min(2*c.took+keepSlack, mostKept)); err != nil {
			return a, err
		}
		defer kept.end()
	}
	began := time.Now()
	if err := m.judged(ctx, p, &a); err != nil || len(a.Clashes) > 0 {
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

// settle moves the branch to what was judged, if it is still where it was. The caller has the merge lock.
func (m *Merger) settle(ctx context.Context, p Work, a *Result) error {
	if m.Upstream != nil {
		return m.publish(ctx, p, a)
	}
	w, release, err := m.Workspace.Take(ctx)
	if err != nil {
		return err
	}
	defer release()
	if err := m.still(ctx, w, *a); err != nil {
		return err
	}
	return finish(ctx, w, p, a)
}

// judged makes the commit that a merge would add, and has it checked. Without an error, a ref keeps it alive.
func (m *Merger) judged(ctx context.Context, p Work, a *Result) error {
	keep, err := m.Upkeep.KeepObjects(ctx)
	if err != nil {
		return err
	}
	defer func() { keep() }()
	a.Base = p.Base
	if a.Head, a.notes, err = m.under(ctx, p); err != nil {
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
	if p.Check == nil || p.Source == nil && a.Commit == a.Head { // the branch has all of what is landed
		return nil
	}
	if err := p.Check(ctx, a.Commit); err != nil {
		return errors.Join(err, m.dropTrial(ctx, p))
	}
	return nil
}

// under is the commit that work goes on top of.
func (m *Merger) under(ctx context.Context, p Work) (string, []string, error) {
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

// gather commits the captain's edits, brings what other clones have pushed, and returns the head of the branch then.
func (m *Merger) gather(ctx context.Context) (string, []string, error) {
	if m.Upstream != nil {
		return m.Upstream.Bring(ctx, m.Workspace)
	}
	return m.Workspace.Gather(ctx)
}

// dropTrial removes the ref that kept a merge alive while it was judged.
func (m *Merger) dropTrial(ctx context.Context, p Work) error {
	return m.Repo.UpdateRefs(context.WithoutCancel(ctx), "delete "+p.trial)
}

// still makes sure that what goes in is what was judged: the branch is where it was, and the commit adds that tree to it.
func (m *Merger) still(ctx context.Context, w *workspace.Tree, a Result) error {
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

// tooSlow is the refusal of work that git can't merge in time, with the files that the branch changed as well.
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

// GatherUnlessKept is gather for a claim. It leaves the branch where it is while a merge that lost before is judged.
func (m *Merger) GatherUnlessKept(ctx context.Context) (string, []string, error) {
	if !m.merging.isKept() {
		return m.gather(ctx)
	}
	head, err := m.Branch.Head(ctx)
	return head, []string{"the captain's edits are not brought along for now: a merge that lost to others before is being checked"}, err
}
