package livetree

import (
	"context"
	"time"

	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/helm/trees"
	"ocaptain/fleet/retry"
)

// copyOften is the shortest time between two copies of the shared tree.
const copyOften = 3 * time.Second

// Run copies the shared tree after changes, until ctx ends, and stops synchronization when much of the tree disappears.
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
			t.o.Log.Warn("keep the tree", "error", err) // the next change tries again
		} else if why := lately.Add(time.Now(), c.Gone, c.Files); why != "" {
			t.pause(ctx, why)
		}
		if retry.Sleep(ctx, max(copyOften, 10*time.Since(began))) != nil {
			return
		}
	}
}

// pause stops synchronization of all trees of the voyage until the captain decides.
func (t *Tree) pause(ctx context.Context, why string) {
	why += "; to undo that: ocaptain restore; if it was meant: ocaptain conflicts --go-on"
	t.setGuard(why)
	if err := t.o.Trees.Pause(ctx, t.o.Info.ID); err != nil {
		t.o.Log.Error("pause the tree", "error", err)
	}
	t.o.Notes.Tell("nothing travels between the trees any more: " + why)
}

func (t *Tree) setGuard(why string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.guard = why
}

// GoOn resumes synchronization that was stopped when much of the tree disappeared.
func (t *Tree) GoOn(ctx context.Context) error {
	if !t.IsShared() {
		return api.Refused("each ship of this voyage has a tree of its own (ocaptain help live)")
	}
	t.setGuard("")
	return t.o.Trees.GoOn(ctx, t.o.Info.ID)
}

// Restore restores files of the shared tree from a copy, and resumes stopped synchronization.
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
