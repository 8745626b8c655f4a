package hub

import (
	"context"
	"fmt"

	"ocaptain/sync/gitflow/git"
)

// Leftover is unmerged work of a remote tree whose machine is gone.
type Leftover struct {
	Ref   string // ref that keeps the work, "" when there is none
	Patch []byte // the changes, for git apply; nil when they are larger than maxPatch
}

// maxPatch bounds a patch, in bytes.
const maxPatch = 4 << 20

// Park puts the newest snapshot of a remote tree whose machine is gone on a ref of its own, if the snapshot has
// unmerged work: snapshots of the next tree with that name will overwrite RefLive.
func (h *Hub) Park(ctx context.Context, name string) (Leftover, error) {
	l, err := h.park(ctx, name)
	if err != nil {
		return Leftover{}, fmt.Errorf("park its unmerged work: %w", err)
	}
	return l, nil
}

func (h *Hub) park(ctx context.Context, name string) (Leftover, error) {
	if !git.IsRemoteName(name) {
		return Leftover{}, errName
	}
	if err := h.cleanRemote(ctx, name); err != nil {
		return Leftover{}, err
	}
	rec := h.remote(name)
	if isNew, err := h.isNew(ctx, rec); !isNew || err != nil {
		return Leftover{}, err
	}
	from := countedFrom(rec.Home, rec.base)
	trees, err := h.repo.Resolve(ctx, from+"^{tree}", rec.live+"^{tree}")
	if err != nil || trees[0] == trees[1] {
		return Leftover{}, err
	}
	var l Leftover
	if l.Ref, err = h.KeepParked(ctx, name, rec.live); err != nil {
		return Leftover{}, err
	}
	r, err := h.repo.Disarm(ctx)
	if err != nil {
		return l, err
	}
	r = r.Set("diff.noprefix", "false").Set("diff.mnemonicPrefix", "false")
	patch, err := r.Bytes(ctx, nil, "diff", "--binary", "--full-index", "--no-color", "--no-ext-diff", "--no-textconv", from, rec.live)
	if err == nil && len(patch) <= maxPatch {
		l.Patch = patch
	}
	return l, ctx.Err() // an error of git diff is ignored: the ref keeps the work
}

// isNew reports whether the newest snapshot of a remote tree was taken after its last checkout. Work in an older
// snapshot was merged before, or parked by that checkout.
func (h *Hub) isNew(ctx context.Context, rec *remote) (bool, error) {
	if rec.live == "" || rec.base == "" || rec.live == rec.Home {
		return false, nil
	}
	if rec.seen.commit == rec.live && rec.seen.base == rec.base {
		return true, nil
	}
	since, err := h.Holds(ctx, rec.live, rec.base)
	if git.Unanswered(ctx, err) {
		return false, err
	}
	return since, nil
}

// KeepParked parks a commit of the hub's repository as unmerged work of a remote, and returns the ref.
func (h *Hub) KeepParked(ctx context.Context, name, commit string) (string, error) {
	if err := h.Check(ctx, commit); err != nil {
		return "", err
	}
	commit, err := h.parked.Cleaned(ctx, commit, h.remote(name).base)
	if err != nil {
		return "", err
	}
	refs, err := h.parked.Keep(ctx, name, []string{commit})
	if err != nil {
		return "", err
	}
	return refs[0], nil
}

// cleanRemote replaces the commits of a remote's refs by what Cleaned makes of them. Call it only for a remote that
// is gone: a living remote would have to send its commits again.
func (h *Hub) cleanRemote(ctx context.Context, name string) error {
	rec := h.remote(name)
	for ref, at := range map[string]*string{git.RefLive: &rec.live, git.RefHome: &rec.Home} {
		if *at == "" {
			continue
		}
		kept, err := h.parked.Cleaned(ctx, *at, rec.base)
		if err != nil {
			return err
		}
		if kept == *at {
			continue
		}
		if err := h.repo.UpdateRefs(ctx, "update "+ref+name+" "+kept); err != nil {
			return err
		}
		*at = kept
	}
	return nil
}
