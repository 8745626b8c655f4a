package gitflow

import (
	"bufio"
	"context"
	"errors"

	"ocaptain/sync"
)

// mark gives the remote tree the branch merged in, with markers where the two clash, and returns a *sync.Conflict.
func (h *Hub) mark(ctx context.Context, r sync.Remote, m sync.Merge, f fetched, a attempt) error {
	q, err := h.request(m.Name)
	if err != nil {
		return err
	}
	snapshot := f.seen.commit
	if q.Marked, err = h.marked(ctx, m.Name, a, snapshot); err != nil {
		return err
	}
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
	if err := h.repo.refs(ctx, "update "+parkedRef(m.Name, snapshot)+" "+snapshot); err != nil {
		return err
	}
	if err := h.brought(ctx, m.Name, a.head, q.Marked); err != nil {
		return err
	}
	c := &sync.Conflict{Head: a.head}
	for _, clash := range a.clashes {
		c.Paths = append(c.Paths, clash.path)
		c.Why = append(c.Why, clash.why())
	}
	return c
}

// marked merges again, with names in the markers that mean something to whoever resolves them, and makes a commit of it
// whose parents are the branch and the snapshot.
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
	return r.out(ctx, "commit-tree", again.tree, "-p", a.head, "-p", snapshot, "-m", "ocaptain: merge with conflict markers")
}
