package hub

import (
	"context"
	"errors"
	"strings"

	"ocaptain/sync/gitflow/git"
	"ocaptain/sync/gitflow/merge"
)

// remote is what the hub knows of one remote tree. The refs say the same; only one call at a time is made for a remote.
type remote struct {
	merge.Source
	live   string // newest snapshot on the hub
	base   string
	target string          // other commit than the branch's that it is being brought to
	marked string          // that it was given, or may have been, since its last checkout
	told   string          // marked, once the conflict was told
	seen   seen            // what the newest snapshot was found to be
	spare  map[string]bool // leftovers that were refused for good
}

// seen is the outcome of receiving a snapshot.
type seen struct {
	commit string
	base   string
	from   string // what its unmerged work is counted from, "" before that was done
	head   string // of the branch then
	since  int    // files that differ from that
	ahead  int    // files that differ from both
}

// errName is what a call for a remote with any other name fails with.
var errName = errors.New("name of the remote: use letters, digits, dots, dashes and underscores")

// remember reads what the refs say about remotes.
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

// remote returns the record of a remote.
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

// brought records that a remote tree stands on a commit. marked is what it had before, or "" when it holds
// no markers now. Further ref changes go with it.
func (h *Hub) brought(ctx context.Context, name, base, marked string, lines ...string) error {
	r := h.remote(name)
	if r.base != base {
		lines = append(lines, "update "+git.RefBase+name+" "+base)
	}
	if r.Home != "" {
		lines = append(lines, "delete "+git.RefHome+name)
	}
	if r.Since != "" { // counts only with home, so it goes after that
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
