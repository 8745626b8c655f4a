package changes

import (
	"context"

	"ocaptain/fleet"
	"ocaptain/tasks"
)

// Size is how many files and lines a change changes.
type Size struct{ Files, Added, Removed int }

// Size counts what the change changes.
func (c Change) Size(ctx context.Context, d fleet.Dir) (s Size, err error) {
	if c.IsEmpty() {
		return s, nil
	}
	files, err := c.ListFiles(ctx, d, true)
	s.Files = len(files)
	for _, f := range files {
		s.Added, s.Removed = s.Added+max(0, f.Added), s.Removed+max(0, f.Removed)
	}
	return s, err
}

// OfDispatch returns all that a worker did for a completed dispatch.
func OfDispatch(t *tasks.State) Change {
	return Change{Title: "dispatch " + t.ID, Base: t.Dispatch().Base, Head: t.Commit}
}
