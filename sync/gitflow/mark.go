package gitflow

import (
	"bufio"
	"context"
	"errors"
	"slices"

	"ocaptain/sync"
)

// mark gives the remote tree the branch merged in, with markers where the two clash, and returns a *sync.Conflict. That it
// will is recorded before: a tree that may hold markers of ours is looked through for as long as it was not checked out.
func (h *Hub) mark(ctx context.Context, r sync.Remote, m sync.Merge, f fetched, a attempt) error {
	q, err := h.request(m.Name)
	if err != nil {
		return err
	}
	keep, err := h.keepObjects(ctx)
	if err != nil {
		return err
	}
	defer keep()
	snapshot := f.seen.commit
	if q.Marked, err = h.marked(ctx, m.Name, a, snapshot); err != nil {
		return err
	}
	rec := h.remote(m.Name)
	if err := h.repo.refs(ctx, "update "+refMarked+m.Name+" "+q.Marked); err != nil {
		return err
	}
	rec.marked = q.Marked
	q.Target, q.Expect = a.head, snapshot
	since := distinct(snapshot)
	if f.Base == f.seen.base {
		since = distinct(snapshot, f.Base)
	}
	err = h.deliver(ctx, r, verbMark, q, []string{q.Marked}, since, func(ctx context.Context, p reply, _ *bufio.Reader) error {
		if p.Changed {
			return sync.ErrChanged
		}
		if p.Base != a.head {
			return errors.New("reply: the tree is not where it should be")
		}
		return nil
	})
	if err != nil {
		return err
	}
	if err := h.stands(ctx, m.Name, a.head); err != nil {
		return err
	}
	rec.told = rec.marked
	return conflictIn(a.head, a.clashes)
}

func conflictIn(head string, clashes []clash) *sync.Conflict {
	c := &sync.Conflict{Head: head}
	for _, clash := range clashes {
		c.Paths = append(c.Paths, clash.path)
		c.Why = append(c.Why, clash.why())
	}
	return c
}

// stands records that a remote tree names a commit of the branch as what it grew from. When it got there with conflict
// markers, the tree before them is a leftover.
func (h *Hub) stands(ctx context.Context, name, base string) error {
	rec := h.remote(name)
	if rec.marked != "" {
		found, err := h.repo.resolve(ctx, rec.marked+"^1", rec.marked+"^2")
		if err != nil {
			return err
		}
		if found[0] == base && found[1] != "" {
			if _, err := h.keepParked(ctx, name, found[1]); err != nil {
				return err
			}
		}
	}
	return h.brought(ctx, name, base, rec.marked)
}

// untold returns the conflict that a tree was marked with when whoever works there may not know of it, since the call
// that was to say so was cut short, and some of it is still as we left it. Not every clash shows in markers.
func (h *Hub) untold(ctx context.Context, rec *remote, s seen) error {
	if rec.told == rec.marked || rec.home != "" {
		return nil
	}
	found, err := h.repo.resolve(ctx, rec.marked+"^1", rec.marked+"^2", rec.marked+"^3")
	if err != nil {
		return err
	}
	if slices.Contains(found, "") || found[0] != s.base {
		return nil // it never got there
	}
	r, err := h.repo.disarm(ctx)
	if err != nil {
		return err
	}
	again, err := r.merge(ctx, found[2], found[0], found[1])
	if err != nil {
		return err
	}
	changed, err := r.changes(ctx, rec.marked, s.commit)
	if err != nil {
		return err
	}
	rec.told = rec.marked
	if !slices.ContainsFunc(again.clashes, func(c clash) bool { _, ok := changed[c.path]; return !ok }) {
		return nil
	}
	return conflictIn(found[0], again.clashes)
}

// marked merges again, with names in the markers that mean something to whoever resolves them, and makes a commit of it
// whose parents are the branch, the snapshot, and what the two are compared with.
func (h *Hub) marked(ctx context.Context, name string, a attempt, snapshot string) (string, error) {
	r, err := h.repo.disarm(ctx)
	if err != nil {
		return "", err
	}
	s, err := r.siblings(ctx, a.base, a.head, snapshot)
	if err != nil {
		return "", err
	}
	err = r.refs(ctx, "update "+refBranch+name+" "+s.ours, "update "+refYours+name+" "+s.theirs)
	if err != nil {
		return "", err
	}
	again, err := r.mergeTree(ctx, sides{labelBranch + "/" + name, labelYours + "/" + name})
	err = errors.Join(err, r.refs(context.WithoutCancel(ctx), "delete "+refBranch+name, "delete "+refYours+name))
	if err != nil {
		return "", err
	}
	return r.out(ctx, "commit-tree", again.tree, "-p", a.head, "-p", snapshot, "-p", a.base, "-m", "ocaptain: merge with conflict markers")
}
