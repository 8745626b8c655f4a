// Package review brings work that was handed in to the branch: it is checked, a validator reviews it, and what is approved is merged. Rejected
// work goes back to its ship.
package review

import (
	"context"
	"errors"
	"fmt"
	"strings"
	gosync "sync"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/clean"
	"ocaptain/fleet/helm/blame"
	"ocaptain/fleet/helm/claims"
	"ocaptain/fleet/helm/core"
	"ocaptain/fleet/helm/facts"
	"ocaptain/fleet/helm/rights"
	"ocaptain/fleet/helm/ship"
	"ocaptain/fleet/helm/verify"
	"ocaptain/sync"
	"ocaptain/tasks"
)

// maxRejections is how often work on a task may be sent back before the captain is asked.
const maxRejections = 3

// HandInRef keeps work that was handed in, or interrupted before that, and togetherRef what it and the branch become together.
func HandInRef(task string) string   { return "refs/ocaptain/reviews/" + task + "/work" }
func togetherRef(task string) string { return "refs/ocaptain/reviews/" + task + "/together" }

// Options say what a Review uses of its voyage, beside what all rooms use.
type Options struct {
	*core.Core
	Claims   *claims.Claims
	Verifier *verify.Verifier
	Hubs     Hubs
	OwnFiles func() []string // the files on the branch that helm alone writes
}

// Hubs say what other hubs of a session have to do with work in review.
type Hubs struct {
	MayReview func(t *tasks.State) bool                                         // reports whether this hub may review and merge what was handed in
	Take      func(t *tasks.State) error                                        // has this hub review and merge it; fails when another hub was quicker
	Get       func(ctx context.Context, t *tasks.State, commit string) error    // brings the work of another hub's ship here
	Once      func(t *tasks.State) func(ctx context.Context, head string) error // see sync.Merge.Before; fails with *Landed
	Record    func(ctx context.Context, w *tasks.State, l *Landed) error        // completes a task whose work on the branch is another claim's
}

// Landed is the error of work that is not merged, as the branch has other work on its task already.
type Landed struct{ Commit string }

func (l *Landed) Error() string {
	return "the branch has work on this task already, commit " + l.Commit
}

// Review brings the work of one voyage to the branch. Its methods are safe for concurrent use.
type Review struct {
	Options

	mu       gosync.Mutex
	checking map[string]string // what validators check: a task, "" for several
	batches  map[string]batch  // that validators have begun
}

// New returns the Review of a voyage.
func New(o Options) *Review {
	return &Review{Options: o, checking: map[string]string{}, batches: map[string]batch{}}
}

// order describes what the work that was handed in becomes on the branch.
func (r *Review) order(t *tasks.State) sync.Merge {
	w := claims.WorkOf(t)
	order := r.Kind.Merge(w, w.Owner, t.HandIn.Summary)
	order.Keep, order.Except = "", r.OwnFiles() // what it did is kept with the hand-in
	return order
}

// together makes a commit of what was handed in and the branch as it is now.
func (r *Review) together(ctx context.Context, t *tasks.State) (string, error) {
	if err := r.Hubs.Get(ctx, t, t.HandIn.Commit); err != nil {
		return "", err
	}
	order := r.order(t)
	order.Aside = togetherRef(t.ID)
	m, err := r.Work.Land(ctx, t.HandIn.Commit, order)
	return m.Commit, err
}

// Start returns the commit at which a review begins that was just claimed: what was handed in and the branch together. When these clash, the
// work goes back, the claim ends, and the error is a *Gone.
func (r *Review) Start(ctx context.Context, t *tasks.State) (string, error) {
	commit, err := r.together(ctx, t)
	if clash := (*sync.Conflict)(nil); errors.As(err, &clash) {
		return "", errors.Join(WentBack(t), r.SendBack(rights.Clock, t, conflictText(clash), false))
	}
	return commit, err
}

// conflictText tells the agent that did the work what it clashes with.
func conflictText(err error) string {
	c, _ := errors.AsType[*sync.Conflict](err)
	return "it conflicts with what was merged meanwhile: " + strings.Join(c.Paths[:min(len(c.Paths), 10)], ", ")
}

// back is work that goes back to the ship that did it: the request to the store, and what the captain is told. Work that is rejected again
// and again is put on hold.
func back(t *tasks.State, to, why string, rejected bool, again string) (tasks.Requeue, string) {
	b := tasks.Requeue{Task: t.ID, Reason: clean.Bound(why, clean.MaxText), Back: t.HandIn.Commit, For: to, Rejected: rejected}
	if t.Status == tasks.InProgress {
		b.Owner, b.Epoch = t.Owner, t.Epoch
	}
	first, _, _ := strings.Cut(b.Reason, "\n")
	if !rejected || t.Rejections+1 < maxRejections {
		return b, "its work went back: " + first
	}
	b.Hold, b.For = true, ""
	b.Reason = fmt.Sprintf("its work was sent back %d times. Last: %s", t.Rejections+1, b.Reason)
	return b, fmt.Sprintf("its work was sent back %d times, and it is on hold; to have it tried again: %s. Last: %s", t.Rejections+1, again, first)
}

// SendBack returns work that was handed in to the ship that did it.
func (r *Review) SendBack(by rights.Actor, t *tasks.State, why string, rejected bool) error {
	owner := t.HandIn.Owner
	request, said := back(t, r.Claims.Stays(owner), why, rejected, r.Dir.Command("requeue %s", t.ID))
	if err := r.Hinders.OrAway(t.ID, r.As(by).Requeue(context.WithoutCancel(r.Context), request)); err != nil {
		return err
	}
	if !rejected {
		r.Records.Conflict(facts.Conflict{Ship: owner}, true)
	}
	r.Notes.Add(fleet.Note{Ship: owner, Task: t.ID, Text: said})
	return nil
}

// Failed handles an error of work in review, and returns the error unless that settles it. Work that is to blame goes back to its
// ship. Work that fails maxRejections times for an unknown cause is put on hold, so that other work gets to the branch.
func (r *Review) Failed(t *tasks.State, err error) error {
	if r.Context.Err() != nil {
		return err
	}
	err = r.Hinders.OrAway(t.ID, err)
	switch is, cause := blame.Judge(err); is {
	case blame.Clash:
		return r.SendBack(rights.Clock, t, conflictText(cause), false)
	case blame.Guard, blame.Work:
		return r.SendBack(rights.Clock, t, cause.Error(), is == blame.Work)
	case blame.Unknown:
	default:
		return err
	}
	if r.Records.Failed(facts.Merge, t.ID) < maxRejections {
		return err
	}
	if now := r.Store.Snapshot().Task(t.ID); !now.InReview() || now.HandIn.Commit != t.HandIn.Commit {
		return err // somebody has taken it out of review
	}
	why := "its work was handed in and cannot be merged: " + clean.Bound(err.Error(), clean.MaxText)
	r.Notes.Add(fleet.Note{Task: t.ID, Text: why + "; to have it done again: " + r.Dir.Command("requeue %s", t.ID)})
	return r.Hinders.OrAway(t.ID, r.As(rights.Clock).Requeue(context.WithoutCancel(r.Context), tasks.Requeue{Task: t.ID, Reason: why, Hold: true}))
}

// validators lists the validators that can be reached and have no trouble, in the order of the fleet.
func (r *Review) validators(now time.Time) (all []*ship.Ship) {
	for _, f := range r.Roster.Now().Ships {
		if s := r.Claims.Ship(f.Name); f.Role == fleet.Validator && s != nil && s.Reach.IsConnected() && s.State().Trouble.Rest(now) <= 0 {
			all = append(all, s)
		}
	}
	return all
}
