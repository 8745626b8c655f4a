package voyage

import (
	"context"

	"ocaptain/fleet"
	"ocaptain/fleet/clean"
	"ocaptain/fleet/provision"
)

// bringFiles writes the captain's files that git ignores into the ship's clone, where they are missing, before the agent hears of its
// claim.
func (s *Ship) bringFiles(ctx context.Context, task string) error {
	done, err := provision.Bring(ctx, s.reach.Link(), s.home(), s.v.Dir)
	if err == nil && len(done.Kept) > 0 {
		s.v.Notes.Add(fleet.Note{Ship: s.name, Task: task, Text: clean.Bound(provision.BroughtText(done), maxText)})
	}
	return err
}
