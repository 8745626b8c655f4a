package hub

import (
	"bufio"
	"context"
	"errors"
	"slices"

	"ocaptain/sync"
	"ocaptain/sync/gitflow/git"
	"ocaptain/sync/gitflow/merge"
	"ocaptain/sync/gitflow/staging"
	"ocaptain/sync/gitflow/wire"
)

// marking is a merge whose files, with conflict markers, replace those of a remote tree.
type marking struct {
	git.Merged
	head   string // commit of the branch that is merged into the tree
	commit string // commit with the merged files. Its parents are head, the work, and the commit from which the work is counted
}

// mark merges the branch into the remote tree, with conflict markers, and returns a *sync.Conflict. sendMarking
// records the merge in RefMarked before the remote gets it: until the next checkout, each Merge of the tree looks for
// leftover markers.
func (h *Hub) mark(ctx context.Context, r sync.Remote, name string, f fetched, base, head string) error {
	keep, err := h.upkeep.KeepObjects(ctx)
	if err != nil {
		return err
	}
	defer keep()
	k, err := mergeMarked(ctx, h.repo, name, base, head, f.seen.commit)
	if err != nil {
		return err
	}
	if err := h.sendMarking(ctx, r, name, f, k, ""); err != nil {
		return err
	}
	return merge.Conflict(head, k.Clashes, git.Clash.Explain)
}

// sendMarking sends the files of a merge to a remote tree, which takes them only if it is unchanged since f was fetched.
// prior is the commit that the remote is to keep as the tree's own work, "" for what was in the tree.
func (h *Hub) sendMarking(ctx context.Context, r sync.Remote, name string, f fetched, k marking, prior string) error {
	q, err := h.request(name)
	if err != nil {
		return err
	}
	rec := h.remote(name)
	if len(k.Clashes) > 0 {
		if err := h.repo.UpdateRefs(ctx, "update "+git.RefMarked+name+" "+k.commit); err != nil {
			return err
		}
		rec.marked = k.commit
	}
	q.Marked, q.Expect, q.Prior = k.commit, f.seen.commit, prior
	since := staging.Distinct(f.seen.commit)
	if f.Base == f.seen.base {
		since = staging.Distinct(f.seen.commit, f.Base)
	}
	err = h.deliver(ctx, r, wire.VerbMark, q, at(k.head, k.commit), since, func(ctx context.Context, p wire.Reply, _ *bufio.Reader) error {
		if p.Changed {
			return sync.ErrChanged
		}
		if p.Base != k.head {
			return errors.New("by its reply, the tree is not where it should be")
		}
		return nil
	})
	if err != nil {
		return err
	}
	if prior == "" {
		err = h.recordBase(ctx, name, k.head)
	} else { // PutBack: the tree was as checked out and stays on its commit, so there is no work of its own to park
		err = h.setBase(ctx, name, k.head, rec.marked)
	}
	if err == nil {
		rec.reported = rec.marked
	}
	return err
}

// recordBase records the base that the remote reports for its tree. If the tree got to that base by a merge with markers,
// recordBase parks the work that was in the tree before.
func (h *Hub) recordBase(ctx context.Context, name, base string) error {
	rec := h.remote(name)
	if rec.marked != "" {
		found, err := h.repo.Resolve(ctx, rec.marked+"^1", rec.marked+"^2")
		if err != nil {
			return err
		}
		if found[0] == base && found[1] != "" {
			if _, err := h.KeepParked(ctx, name, found[1]); err != nil {
				return err
			}
		}
	}
	return h.setBase(ctx, name, base, rec.marked)
}

// unreported returns the conflict of rec.marked if the agent may not have heard of it: the call that would have reported
// the conflict was cut short, and some clashing file is still as mark wrote it. A search for markers would not do,
// because not every clash leaves markers.
func unreported(ctx context.Context, repo git.Repo, rec *remote, s seen) error {
	if rec.reported == rec.marked || rec.Home != "" {
		return nil
	}
	found, err := repo.Resolve(ctx, rec.marked+"^1", rec.marked+"^2", rec.marked+"^3")
	if err != nil {
		return err
	}
	if slices.Contains(found, "") || found[0] != s.base {
		return nil // the remote never got the merge
	}
	r, err := repo.Disarm(ctx)
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
	rec.reported = rec.marked
	if !slices.ContainsFunc(again.Clashes, func(c git.Clash) bool { _, ok := changed[c.Path]; return !ok }) {
		return nil
	}
	return merge.Conflict(found[0], again.Clashes, git.Clash.Explain)
}

// mergeMarked merges work with head, a commit of the branch. It creates two refs for the merge, so that git writes names
// into the markers that the agent understands.
func mergeMarked(ctx context.Context, repo git.Repo, name, base, head, work string) (k marking, err error) {
	k.head = head
	r, err := repo.Disarm(ctx)
	if err != nil {
		return k, err
	}
	s, err := r.Siblings(ctx, base, head, work)
	if err != nil {
		return k, err
	}
	err = r.UpdateRefs(ctx, "update "+git.RefBranch+name+" "+s.Ours, "update "+git.RefYours+name+" "+s.Theirs)
	if err != nil {
		return k, err
	}
	k.Merged, err = r.MergeTree(ctx, git.Sides{Ours: git.LabelBranch + "/" + name, Theirs: git.LabelYours + "/" + name})
	err = errors.Join(err, r.UpdateRefs(context.WithoutCancel(ctx), "delete "+git.RefBranch+name, "delete "+git.RefYours+name))
	if err != nil {
		return k, err
	}
	k.commit, err = r.WriteCommit(git.Commit{Tree: k.Tree, Parents: []string{head, work, base}, Message: "ocaptain: merge with conflict markers"})
	return k, err
}
