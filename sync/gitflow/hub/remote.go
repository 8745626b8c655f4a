package hub

import (
	"context"
	"errors"
	"strings"

	"ocaptain/sync/gitflow/git"
	"ocaptain/sync/gitflow/merge"
)

// remote is what the hub knows of one remote tree. Refs hold most of it, for the next hub. Calls for one remote do
// not overlap.
type remote struct {
	merge.Source
	live     string // newest snapshot that the hub has
	base     string
	target   string          // commit that Checkout's caller asked for and that is being checked out, "" for a commit of the branch
	marked   string          // commit with conflict markers that the tree got, or may have got, since its last checkout
	reported string          // the value of marked whose conflict Merge or PutBack has returned to its caller
	seen     seen            // result of receiving the newest snapshot
	spare    map[string]bool // unmerged work that the hub refused, by commit: the remote need not send it again
}

// seen is the result of receiving a snapshot, and what ahead counted in it.
type seen struct {
	commit string
	base   string
	from   string // commit from which ahead counted unmerged work, "" before the first count
	head   string // head of the branch at that count
	since  int    // files that differ from commit from
	ahead  int    // files that differ from commit from and from head
}

// errName is the error of a call for a remote with an invalid name.
var errName = errors.New("name of the remote: use letters, digits, dots, dashes and underscores")

// remember fills h.remotes from the refs that an earlier hub wrote.
func (h *Hub) remember(ctx context.Context) error {
	lines, err := h.repo.Output(ctx, "for-each-ref", "--format=%(objectname) %(refname)", git.RefLive, git.RefBase, git.RefHome, git.RefSince, git.RefMarked, git.RefTarget)
	if err != nil {
		return err
	}
	for line := range strings.SplitSeq(lines, "\n") {
		id, ref, ok := strings.Cut(line, " ")
		if !ok {
			continue
		}
		for prefix, to := range map[string]func(*remote) *string{
			git.RefLive: func(r *remote) *string { return &r.live }, git.RefBase: func(r *remote) *string { return &r.base },
			git.RefHome: func(r *remote) *string { return &r.Home }, git.RefMarked: func(r *remote) *string { return &r.marked },
			git.RefTarget: func(r *remote) *string { return &r.target }, git.RefSince: func(r *remote) *string { return &r.Since },
		} {
			if name, ok := strings.CutPrefix(ref, prefix); ok {
				*to(h.remote(name)) = id
			}
		}
	}
	return nil
}

// remote returns the record of a remote, a new one for an unknown name.
func (h *Hub) remote(name string) *remote {
	h.mu.Lock()
	defer h.mu.Unlock()
	r := h.remotes[name]
	if r == nil {
		r = &remote{spare: map[string]bool{}}
		h.remotes[name] = r
	}
	return r
}

// setBase records that a remote tree is at the commit base. marked becomes rec.marked: pass "" if the tree holds no
// conflict markers now. lines are further ref updates, written first.
func (h *Hub) setBase(ctx context.Context, name, base, marked string, lines ...string) error {
	r := h.remote(name)
	if r.base != base {
		lines = append(lines, "update "+git.RefBase+name+" "+base)
	}
	if r.Home != "" {
		lines = append(lines, "delete "+git.RefHome+name)
	}
	if r.Since != "" { // Since counts only while Home is set, so it is deleted after Home
		lines = append(lines, "delete "+git.RefSince+name)
	}
	if r.target != "" {
		lines = append(lines, "delete "+git.RefTarget+name)
	}
	if marked == "" && r.marked != "" {
		lines = append(lines, "delete "+git.RefMarked+name)
	}
	if len(lines) > 0 {
		if err := h.repo.UpdateRefs(ctx, lines...); err != nil {
			return err
		}
	}
	r.base, r.Home, r.Since, r.target, r.marked = base, "", "", "", marked
	return nil
}
