package cli

import (
	"context"
	"errors"

	"ocaptain/fleet"
	"ocaptain/sync/mutagen"
	"ocaptain/ui/cli/config"
	"ocaptain/ui/launch"
)

// syncFindings checks Mutagen by using it, when it is installed or when voyages are to share a tree.
func syncFindings(ctx context.Context, c config.Config) []finding {
	limit, cancel := context.WithTimeout(ctx, probing)
	defer cancel()
	f := finding{What: "mutagen", Need: "voyages with one tree (sync: live)", State: healthy, Required: c.Sync == fleet.SyncLive}
	p, err := mutagen.Find(limit)
	if errors.Is(err, mutagen.ErrAbsent) && !f.Required {
		return nil
	}
	if f.Found = p.Version; err == nil {
		err = mutagen.Try(limit, p)
	}
	if err != nil {
		f.Found, f.State, f.Fix = err.Error(), doubt, launch.GetMutagen
		if f.Required {
			f.State = missing
		}
	}
	return []finding{f}
}
