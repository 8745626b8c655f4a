package hub

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
func (h *Hub) raced(ctx context.Context, p piece, c *race) (a attempt, err error) {
	var kept *lease
	if c.lost >= freeTries {
		if kept, err = h.merging.keep(ctx, min(2*c.took+keepSlack, mostKept)); err != nil {
			return a, err
		}
		defer kept.end()
	}
	began := time.Now()
	if err := h.judged(ctx, p, &a); err != nil || len(a.Clashes) > 0 {
		return a, err
	}
	c.took = max(c.took, time.Since(began))
	defer func() { err = errors.Join(err, h.dropTrial(ctx, p)) }()
	if !kept.settle() {
		if err := h.merging.lock(ctx); err != nil {
			return a, err
		}
		defer h.merging.unlock()
	}
	w, release, err := h.Workspace.Take(ctx)
	if err != nil {
		return a, err
	}
	defer release()
	if err = h.still(ctx, w, a); err == nil {
		err = finish(ctx, w, p, &a)
	}
	if errors.Is(err, staging.ErrMoved) {
		c.lost++
	}
	return a, err
}

// judged makes the commit that a merge would add, and has it checked. Without an error, a ref keeps it alive.
func (h *Hub) judged(ctx context.Context, p piece, a *attempt) error {
	keep, err := h.upkeep.KeepObjects(ctx)
	if err != nil {
		return err
	}
	defer func() { keep() }()
	a.base = p.base
	if a.head, a.notes, err = h.under(ctx, p); err != nil {
		return err
	}
	r, err := h.repo.Disarm(ctx)
	if err != nil {
		return err
	}
	began := time.Now()
	err = h.combine(ctx, r, p, a)
	if p.rec != nil {
		p.rec.slow = time.Since(began) > quickMerge
	}
	if err != nil || len(a.Clashes) > 0 {
		return err
	}
	if err := h.repo.UpdateRefs(ctx, "update "+p.trial+" "+a.commit); err != nil {
		return err
	}
	keep()
	if p.Check == nil || p.rec == nil && a.commit == a.head { // the branch has all of what is landed
		return nil
	}
	if err := p.Check(ctx, a.commit); err != nil {
		return errors.Join(err, h.dropTrial(ctx, p))
	}
	return nil
}

// under is the commit that a piece goes on top of.
func (h *Hub) under(ctx context.Context, p piece) (string, []string, error) {
	switch {
	case p.Onto != "" || p.Stacked || p.shared:
		return p.base, nil, nil
	case p.On != "":
		return p.On, nil, nil
	case p.Aside != "":
		return h.gatherUnlessKept(ctx)
	}
	return h.Workspace.Gather(ctx)
}

// dropTrial removes the ref that kept a merge alive while it was judged.
func (h *Hub) dropTrial(ctx context.Context, p piece) error {
	return h.repo.UpdateRefs(context.WithoutCancel(ctx), "delete "+p.trial)
}

// still makes sure that what goes in is what was judged: the branch is where it was, and the commit adds that tree to it.
func (h *Hub) still(ctx context.Context, w *workspace.Tree, a attempt) error {
	now, err := w.Resolve(ctx, h.Ref()+"^{commit}", a.commit+"^{tree}", a.commit+"^1")
	switch {
	case err != nil:
		return err
	case now[0] != a.head:
		return staging.ErrMoved
	case a.commit == a.head:
		return nil
	case now[1] != a.Tree || now[2] != a.head:
		return fmt.Errorf("commit %s is not what was judged", a.commit)
	}
	return nil
}

// tooSlow is the refusal of work that git can't merge in time, with the files that the branch changed as well.
func (h *Hub) tooSlow(ctx context.Context, base, snapshot string) error {
	head, err := h.Head(ctx)
	if err != nil {
		return err
	}
	theirs, err := h.repo.Changes(ctx, base, snapshot)
	if err != nil {
		return err
	}
	ours, err := h.repo.Changes(ctx, base, head)
	if err != nil {
		return err
	}
	no := &sync.Refused{Why: fmt.Sprintf("git takes longer than %s to merge files that you and the branch changed: take the "+
		"branch's version of the largest, change fewer of its lines, and complete again", h.opts.MergeTime)}
	for path := range theirs {
		if _, both := ours[path]; both {
			no.Paths = append(no.Paths, path)
		}
	}
	slices.Sort(no.Paths)
	return no
}
