package voyage

import (
	"context"
	"errors"

	"ocaptain/fleet"
	"ocaptain/fleet/aboard/wire"
	"ocaptain/fleet/clean"
	"ocaptain/fleet/helm/facts"
	"ocaptain/fleet/helm/rights"
	"ocaptain/fleet/proto"
	"ocaptain/sync"
	"ocaptain/tasks"
)

// blame is what an error is about. It decides what follows from the error.
type blame int

const (
	blameNothing blame = iota // there is no error
	blameAway                 // a ship is to ask again; the captain was told why
	blameAsker                // tasks.Refusal: what was asked does not fit the state of the tasks
	blameClash                // sync.Conflict: the work clashes with what was merged meanwhile
	blameGuard                // notLetIn: a guard keeps the work from the branch
	blameWork                 // the work cannot be merged as it is, or verify.sh fails on it
	blameShip                 // a ship could not run a check
	blameHub                  // sync.Hindered: nothing can be merged at the hub
	blameCaptain              // sync.Hindered with paths: files of the captain's are in the way of this work
	blameUnknown
)

// judge returns what an error is about, and the error in it that says so. Of several the first in this order counts.
func judge(err error) (blame, error) {
	if err == nil {
		return blameNothing, nil
	}
	if in, ok := errors.AsType[*wire.Error](err); ok && in.Code == proto.CodeAway {
		return blameAway, in
	}
	if in, ok := errors.AsType[*tasks.Refusal](err); ok {
		return blameAsker, in
	}
	if in, ok := errors.AsType[*sync.Conflict](err); ok {
		return blameClash, in
	}
	if in, ok := errors.AsType[*notLetIn](err); ok {
		return blameGuard, in
	}
	if in, ok := errors.AsType[*notPassed](err); ok {
		return blameWork, in
	}
	if in, ok := errors.AsType[*sync.Refused](err); ok {
		return blameWork, in
	}
	if in, ok := errors.AsType[*shipTrouble](err); ok {
		return blameShip, in
	}
	if in, ok := errors.AsType[*sync.Hindered](err); ok && len(in.Paths) > 0 {
		return blameCaptain, in
	} else if ok {
		return blameHub, in
	}
	return blameUnknown, err
}

// isAway reports whether a ship is to ask again.
func isAway(err error) bool {
	is, _ := judge(err)
	return is == blameAway
}

// orAway returns err, or that a ship is to ask again when the hub is to blame: its disk, its repository, or files of the captain's that are
// in the way of a task, "" where the error is not about a single task. The captain is told once.
func (v *Voyage) orAway(task string, err error) error {
	is, cause := judge(err)
	switch is {
	case blameNothing, blameAsker, blameClash:
		return err
	}
	if full := v.tryRoom(); full != nil {
		v.log.Error("disk", "error", err)
		return full
	}
	switch is {
	case blameHub:
		return v.holdMerges(clean.Bound(cause.Error(), maxText))
	case blameCaptain:
		why := clean.Bound(cause.Error(), maxText)
		v.isInTheWay(task, why)
		return hubWaits(why)
	}
	return err
}

// hubWaits is the answer to a ship that is to ask again, when what keeps the hub from merging is over.
func hubWaits(why string) error {
	return &wire.Error{Code: proto.CodeAway, Text: "the hub has to wait: " + why}
}

// reviewFailed handles an error of work in review, and returns the error unless that settles it. Work that is to blame goes back to its
// ship. Work that fails mostRejections times for an unknown cause is put on hold, so that other work gets to the branch.
func (v *Voyage) reviewFailed(t *tasks.State, err error) error {
	if v.ctx.Err() != nil {
		return err
	}
	err = v.orAway(t.ID, err)
	switch is, cause := judge(err); is {
	case blameClash:
		return v.sendBack(rights.Clock, t, conflictText(cause), false)
	case blameGuard, blameWork:
		return v.sendBack(rights.Clock, t, cause.Error(), is == blameWork)
	case blameUnknown:
	default:
		return err
	}
	if n := reads(v, func() int { return v.failures.Count(facts.Merge, t.ID) }); n < mostRejections {
		return err
	}
	if now := v.store.Snapshot().Task(t.ID); !now.InReview() || now.HandIn.Commit != t.HandIn.Commit {
		return err // somebody has taken it out of review
	}
	why := "its work was handed in and cannot be merged: " + clean.Bound(err.Error(), maxText)
	v.addNote(fleet.Note{Task: t.ID, Text: why + "; to have it done again: " + v.command("requeue %s", t.ID)})
	return v.orAway(t.ID, v.as(rights.Clock).Requeue(context.WithoutCancel(v.ctx), tasks.Requeue{Task: t.ID, Reason: why, Hold: true}))
}
