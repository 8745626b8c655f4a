package livetree

import (
	"context"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/helm/trees"
	"ocaptain/fleet/retry"
)

// copyOften is the shortest time between two copies.
const copyOften = 3 * time.Second

// Run keeps copies of the tree that all share while it changes, until ctx ends, and stops what keeps the trees the same when much of it goes
// away.
func (t *Tree) Run(ctx context.Context) {
	if !t.IsShared() {
		return
	}
	var lately trees.Deletions
	for ctx.Err() == nil {
		select {
		case <-t.moved:
		case <-ctx.Done():
			return
		}
		began := time.Now()
		c, err := t.o.Work.Workspace.CopyShared(ctx)
		if err != nil {
			t.o.Log.Warn("keep the tree", "error", err) // it is tried again with the next change
		} else if why := lately.Add(time.Now(), c.Gone, c.Files); why != "" {
			t.pause(ctx, why)
		}
		if retry.Sleep(ctx, max(copyOften, 10*time.Since(began))) != nil {
			return
		}
	}
}

// pause stops all trees of the voyage until the captain says what was meant.
func (t *Tree) pause(ctx context.Context, why string) {
	why += "; to undo that: ocaptain restore; if it was meant: ocaptain conflicts --go-on"
	t.setGuard(why)
	if err := t.o.Trees.Pause(ctx, t.o.Info.ID); err != nil {
		t.o.Log.Error("pause the tree", "error", err)
	}
	t.o.Tell(fleet.Note{Text: "nothing travels between the trees any more: " + why})
}

func (t *Tree) setGuard(why string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.guard = why
}

// GoOn has trees go on that were paused when much of the tree went away.
func (t *Tree) GoOn(ctx context.Context) error {
	if !t.IsShared() {
		return api.Refused("each ship of this voyage has a tree of its own (ocaptain help live)")
	}
	t.setGuard("")
	return t.o.Trees.GoOn(ctx, t.o.Info.ID)
}

// Restore makes files of the tree that all share what they were in a copy. What was paused goes on.
func (t *Tree) Restore(ctx context.Context, in api.RestoreRequest) (api.Restored, error) {
	if !t.IsShared() {
		return api.Restored{}, api.Refused("each ship of this voyage has a tree of its own: nothing is copied that restore brings back (ocaptain help live)")
	}
	files, err := t.o.Work.Workspace.RestoreShared(ctx, in.Commit, in.Paths)
	if err != nil {
		return api.Restored{}, err
	}
	return api.Restored{Files: files}, t.GoOn(ctx)
}
