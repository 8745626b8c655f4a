package voyage

import (
	"context"

	"ocaptain/fleet/search/discoveries"
	"ocaptain/tasks"
)

// discoveryNotes tell a planner what reviewers found before that fits its epic, as of the commit that it begins with.
func (v *Voyage) discoveryNotes(ctx context.Context, t *tasks.State, commit string) []string {
	if t.Type() != tasks.Epic || !v.Info.Search || v.Info.Forgetful {
		return nil
	}
	return discoveries.Notes(ctx, v.Dir.Workspace(), commit, t.Subject+"\n"+t.Description, func(err error) {
		v.Log.Warn("no discoveries for an epic", "task", t.ID, "error", err)
	})
}
