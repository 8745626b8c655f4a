package launch

import (
	"context"
	"errors"

	"ocaptain/fleet"
	"ocaptain/sync/mutagen"
)

// way settles how work travels: as the captain says for this voyage, else as the plan says, else as it is configured. Sessions and pools have
// a tree for each ship.
func (d *draft) way() *Problem {
	o, how := d.order, d.config.Sync
	if o.Plan != nil {
		o.Artifacts = o.Plan.Artifacts
	}
	if d.wish.Sync == "" && o.Plan != nil && o.Plan.Sync != "" {
		how = o.Plan.Sync
	}
	if how != fleet.SyncLive || d.wish.session != nil || d.wish.pool {
		return nil
	}
	if d.wish.Review {
		return problem(Usage, Sync, "", "--review needs a tree for each ship, as work is looked at before others have it; leave it out, or say --sync git")
	}
	o.Sync = how
	return nil
}

// GetMutagen tells how to get what a voyage with one tree needs.
const GetMutagen = "install it: brew install mutagen-io/mutagen/mutagen, or put mutagen and mutagen-agents.tar.gz of a release in one directory of PATH " +
	"(https://github.com/mutagen-io/mutagen/releases); --sync git needs none"

// checkMutagen looks for the program that keeps directories the same, where the voyage needs it.
func (o *Order) checkMutagen(ctx context.Context) *Problem {
	what := "a voyage with one tree"
	if o.Sync == "" {
		what = "a plan with artifacts"
	}
	if o.Sync == "" && len(o.Artifacts) == 0 {
		return nil
	}
	_, err := mutagen.Find(ctx)
	if errors.Is(err, mutagen.ErrAbsent) {
		return problem(Missing, Sync, GetMutagen, "%s needs Mutagen, and %w", what, err)
	}
	if err != nil {
		return problem(Missing, Sync, GetMutagen, "%s needs Mutagen: %w", what, err)
	}
	return nil
}
