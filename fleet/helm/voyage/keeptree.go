package voyage

import (
	"context"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/helm/trees"
	"ocaptain/fleet/retry"
)

// keepTree keeps copies of the tree that all share while it changes, and stops what keeps the trees the same when much of it goes away.
func (v *Voyage) keepTree() {
	if !v.isShared() {
		return
	}
	var lately trees.Deletions
	for v.ctx.Err() == nil {
		select {
		case <-v.treeMoved:
		case <-v.ctx.Done():
			return
		}
		began := time.Now()
		c, err := v.work.CopyShared(v.ctx)
		if err != nil {
			v.log.Warn("keep the tree", "error", err) // it is tried again with the next change
		} else if why := lately.Add(time.Now(), c.Gone, c.Files); why != "" {
			v.guardTree(why)
		}
		if retry.Sleep(v.ctx, max(copyOften, 10*time.Since(began))) != nil {
			return
		}
	}
}

// guardTree pauses all trees of the voyage until the captain says what was meant.
func (v *Voyage) guardTree(why string) {
	why += "; to undo that: ocaptain restore; if it was meant: ocaptain conflicts --go-on"
	changes(v, func() { v.treeGuard = why })
	err := v.set.trees.Pause(v.ctx, v.dir.ID())
	if err != nil {
		v.log.Error("pause the tree", "error", err)
	}
	v.addNote(fleet.Note{Text: "nothing travels between the trees any more: " + why})
}

// GoOnWithTree ends what guardTree did.
func (v *Voyage) GoOnWithTree(ctx context.Context) error {
	if !v.isShared() {
		return api.Refused("each ship of this voyage has a tree of its own (ocaptain help live)")
	}
	changes(v, func() { v.treeGuard = "" })
	return v.set.trees.GoOn(ctx, v.dir.ID())
}

// RestoreTree makes files of the tree that all share what they were in a copy. What was paused goes on.
func (v *Voyage) RestoreTree(ctx context.Context, in api.RestoreRequest) (api.Restored, error) {
	if !v.isShared() {
		return api.Restored{}, api.Refused("each ship of this voyage has a tree of its own: nothing is copied that restore brings back (ocaptain help live)")
	}
	files, err := v.work.RestoreShared(ctx, in.Commit, in.Paths)
	if err != nil {
		return api.Restored{}, err
	}
	return api.Restored{Files: files}, v.GoOnWithTree(ctx)
}
