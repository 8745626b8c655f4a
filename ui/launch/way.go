package launch

import (
	"context"
	"errors"

	"ocaptain/fleet"
	"ocaptain/sync/mutagen"
	"ocaptain/ui/launch/problem"
)

// way determines how work is synchronized: as the captain says for this voyage, else as the plan says, else as configured. Sessions and pools
// have a tree for each ship.
func (d *draft) way() *problem.Problem {
	o, how := d.order, d.wayChoice().Value
	if o.Plan != nil {
		o.Artifacts = o.Plan.Artifacts
	}
	if how != fleet.SyncLive || d.wish.Kind.TakesEpics() || d.wish.Kind.TakesDispatches() {
		return nil
	}
	if d.wish.Review {
		return problem.New(problem.Usage, problem.Sync, "", "--review needs a tree for each ship, as work is looked at before others have it; leave it out, or say --sync git")
	}
	o.Sync = how
	return nil
}

// perShip is the way of a voyage whose ships have trees of their own.
const perShip = "git"

// Ways lists the ways of synchronizing work.
func Ways() []string { return []string{perShip, fleet.SyncLive} }

// WayMeans explains a way.
func WayMeans(way string) string {
	if way == fleet.SyncLive {
		return "one tree that you and all ships share, by Mutagen"
	}
	return "a tree for each ship; completed tasks are merged"
}

// wayChoice returns the way that takes effect, and who chose it.
func (d *draft) wayChoice() Choice {
	if plan := d.order.Plan; d.wish.Sync == "" && plan != nil && plan.Sync != "" {
		return Choice{plan.Sync, "the plan"}
	}
	return Choice{d.config.Sync, d.sourceOf("sync")}
}

// GetMutagen says how to install what a voyage with a shared tree needs.
const GetMutagen = "install it: brew install mutagen-io/mutagen/mutagen, or put mutagen and mutagen-agents.tar.gz of a release in one directory of PATH " +
	"(https://github.com/mutagen-io/mutagen/releases); --sync git needs none"

// checkMutagen checks that Mutagen is installed, if the voyage needs it.
func (o *Order) checkMutagen(ctx context.Context) *problem.Problem {
	what := "a voyage with one tree"
	if o.Sync == "" {
		what = "a plan with artifacts"
	}
	if o.Sync == "" && len(o.Artifacts) == 0 {
		return nil
	}
	_, err := mutagen.Find(ctx)
	if errors.Is(err, mutagen.ErrAbsent) {
		return problem.New(problem.Missing, problem.Sync, GetMutagen, "%s needs Mutagen, and %w", what, err)
	}
	if err != nil {
		return problem.New(problem.Missing, problem.Sync, GetMutagen, "%s needs Mutagen: %w", what, err)
	}
	return nil
}
