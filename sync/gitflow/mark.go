package gitflow

import (
	"bufio"
	"context"
	"errors"
	"slices"

	"ocaptain/sync"
	"ocaptain/sync/gitflow/git"
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
	if err := h.repo.UpdateRefs(ctx, "update "+git.RefMarked+m.Name+" "+q.Marked); err != nil {
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
	return conflictIn(a.head, a.Clashes)
}

func conflictIn(head string, clashes []git.Clash) *sync.Conflict {
	c := &sync.Conflict{Head: head}
	for _, clash := range clashes {
		c.Paths = append(c.Paths, clash.Path)
		c.Why = append(c.Why, clash.Explain())
	}
	return c
}

// stands records that a remote tree names a commit of the branch as what it grew from. When it got there with conflict
// markers, the tree before them is a leftover.
func (h *Hub) stands(ctx context.Context, name, base string) error {
	rec := h.remote(name)
	if rec.marked != "" {
		found, err := h.repo.Resolve(ctx, rec.marked+"^1", rec.marked+"^2")
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
	found, err := h.repo.Resolve(ctx, rec.marked+"^1", rec.marked+"^2", rec.marked+"^3")
	if err != nil {
		return err
	}
	if slices.Contains(found, "") || found[0] != s.base {
		return nil // it never got there
	}
	r, err := h.repo.Disarm(ctx)
	if err != nil {
		return err
	}
	again, err := r.Merge(ctx, found[2], found[0], found[1])
	if err != nil {
		return err
	}
	changed, err := r.Changes(ctx, rec.marked, s.commit)
	if err != nil {
		return err
	}
	rec.told = rec.marked
	if !slices.ContainsFunc(again.Clashes, func(c git.Clash) bool { _, ok := changed[c.Path]; return !ok }) {
		return nil
	}
	return conflictIn(found[0], again.Clashes)
}

// marked merges again, with names in the markers that mean something to whoever resolves them, and makes a commit of it
// whose parents are the branch, the snapshot, and what the two are compared with.
func (h *Hub) marked(ctx context.Context, name string, a attempt, snapshot string) (string, error) {
	r, err := h.repo.Disarm(ctx)
	if err != nil {
		return "", err
	}
	s, err := r.Siblings(ctx, a.base, a.head, snapshot)
	if err != nil {
		return "", err
	}
	err = r.UpdateRefs(ctx, "update "+git.RefBranch+name+" "+s.Ours, "update "+git.RefYours+name+" "+s.Theirs)
	if err != nil {
		return "", err
	}
	again, err := r.MergeTree(ctx, git.Sides{Ours: git.LabelBranch + "/" + name, Theirs: git.LabelYours + "/" + name})
	err = errors.Join(err, r.UpdateRefs(context.WithoutCancel(ctx), "delete "+git.RefBranch+name, "delete "+git.RefYours+name))
	if err != nil {
		return "", err
	}
	return r.Output(ctx, "commit-tree", again.Tree, "-p", a.head, "-p", snapshot, "-p", a.base, "-m", "ocaptain: merge with conflict markers")
}
