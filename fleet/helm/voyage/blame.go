package voyage

import (
	"context"

	"ocaptain/fleet"
	"ocaptain/fleet/clean"
	"ocaptain/fleet/helm/blame"
	"ocaptain/fleet/helm/facts"
	"ocaptain/fleet/helm/rights"
	"ocaptain/tasks"
)

// orAway returns err, or that a ship is to ask again when the hub is to blame: its disk, its repository, or files of the captain's that are
// in the way of a task, "" where the error is not about a single task. The captain is told once.
func (v *Voyage) orAway(task string, err error) error {
	is, cause := blame.Judge(err)
	switch is {
	case blame.Nothing, blame.Asker, blame.Clash:
		return err
	}
	if isOfRedis(err) {
		return blame.HubWaits(clean.Bound(err.Error(), maxText))
	}
	if full := v.tryRoom(); full != nil {
		v.log.Error("disk", "error", err)
		return full
	}
	switch is {
	case blame.Hub:
		return v.holdMerges(clean.Bound(cause.Error(), maxText))
	case blame.Captain:
		why := clean.Bound(cause.Error(), maxText)
		v.isInTheWay(task, why)
		return blame.HubWaits(why)
	}
	return err
}

// reviewFailed handles an error of work in review, and returns the error unless that settles it. Work that is to blame goes back to its
// ship. Work that fails maxRejections times for an unknown cause is put on hold, so that other work gets to the branch.
func (v *Voyage) reviewFailed(t *tasks.State, err error) error {
	if v.ctx.Err() != nil {
		return err
	}
	err = v.orAway(t.ID, err)
	switch is, cause := blame.Judge(err); is {
	case blame.Clash:
		return v.sendBack(rights.Clock, t, conflictText(cause), false)
	case blame.Guard, blame.Work:
		return v.sendBack(rights.Clock, t, cause.Error(), is == blame.Work)
	case blame.Unknown:
	default:
		return err
	}
	if n := reads(v, func() int { return v.failures.Count(facts.Merge, t.ID) }); n < maxRejections {
		return err
	}
	if now := v.store.Snapshot().Task(t.ID); !now.InReview() || now.HandIn.Commit != t.HandIn.Commit {
		return err // somebody has taken it out of review
	}
	why := "its work was handed in and cannot be merged: " + clean.Bound(err.Error(), maxText)
	v.addNote(fleet.Note{Task: t.ID, Text: why + "; to have it done again: " + v.command("requeue %s", t.ID)})
	return v.orAway(t.ID, v.as(rights.Clock).Requeue(context.WithoutCancel(v.ctx), tasks.Requeue{Task: t.ID, Reason: why, Hold: true}))
}
