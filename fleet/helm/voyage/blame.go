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

// reviewFailed handles an error of work in review, and returns the error unless that settles it. Work that is to blame goes back to its
// ship. Work that fails maxRejections times for an unknown cause is put on hold, so that other work gets to the branch.
func (v *Voyage) reviewFailed(t *tasks.State, err error) error {
	if v.Context.Err() != nil {
		return err
	}
	err = v.Hinders.OrAway(t.ID, err)
	switch is, cause := blame.Judge(err); is {
	case blame.Clash:
		return v.sendBack(rights.Clock, t, conflictText(cause), false)
	case blame.Guard, blame.Work:
		return v.sendBack(rights.Clock, t, cause.Error(), is == blame.Work)
	case blame.Unknown:
	default:
		return err
	}
	if n := v.Records.Failed(facts.Merge, t.ID); n < maxRejections {
		return err
	}
	if now := v.Store.Snapshot().Task(t.ID); !now.InReview() || now.HandIn.Commit != t.HandIn.Commit {
		return err // somebody has taken it out of review
	}
	why := "its work was handed in and cannot be merged: " + clean.Bound(err.Error(), maxText)
	v.Notes.Add(fleet.Note{Task: t.ID, Text: why + "; to have it done again: " + v.Dir.Command("requeue %s", t.ID)})
	return v.Hinders.OrAway(t.ID, v.As(rights.Clock).Requeue(context.WithoutCancel(v.Context), tasks.Requeue{Task: t.ID, Reason: why, Hold: true}))
}
