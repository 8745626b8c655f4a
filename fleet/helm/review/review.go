// Package review handles work that was handed in: it has the work checked and reviewed by validators, merges approved
// work, and returns rejected work to its ship.
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

// maxRejections is how often work on a task may be rejected before the captain decides.
const maxRejections = 3

// HandInRef returns the ref of work that was handed in or interrupted, and togetherRef the ref of that work merged
// with the branch.
func HandInRef(task string) string   { return "refs/ocaptain/reviews/" + task + "/work" }
func togetherRef(task string) string { return "refs/ocaptain/reviews/" + task + "/together" }

// Options say what a Review needs from its voyage besides the Core.
type Options struct {
	*core.Core
	Claims   *claims.Claims
	Verifier *verify.Verifier
	Hubs     Hubs
	OwnFiles func() []string // files on the branch that only helm writes
}

// Hubs are the functions for sessions that several hubs share.
type Hubs struct {
	MayReview func(t *tasks.State) bool                                         // reports whether this hub may review and merge what was handed in
	Take      func(t *tasks.State) error                                        // claims the review for this hub; fails if another hub was quicker
	Get       func(ctx context.Context, t *tasks.State, commit string) error    // fetches the work of another hub's ship
	Once      func(t *tasks.State) func(ctx context.Context, head string) error // see sync.Merge.Before; fails with *Landed
	Record    func(ctx context.Context, w *tasks.State, l *Landed) error        // completes a task for which the branch has the work of another claim
}

// Landed is the error of work that is not merged because the branch already has other work on the same task.
type Landed struct{ Commit string }

func (l *Landed) Error() string {
	return "the branch has work on this task already, commit " + l.Commit
}

// Review checks and merges the handed-in work of one voyage. Its methods are safe for concurrent use.
type Review struct {
	Options

	mu       gosync.Mutex
	checking map[string]string // what validators check: a task, "" for several
	batches  map[string]batch  // batch that each validator has begun
}

// New returns the Review of a voyage.
func New(o Options) *Review {
	return &Review{Options: o, checking: map[string]string{}, batches: map[string]batch{}}
}

// order returns the order to merge handed-in work into the branch.
func (r *Review) order(t *tasks.State) sync.Merge {
	w := claims.WorkOf(t)
	order := r.Kind.Merge(w, w.Owner, t.HandIn.Summary)
	order.Keep, order.Except = "", r.OwnFiles() // HandInRef already keeps the ship's own commits
	return order
}

// together makes a commit that merges handed-in work with the branch as it is now.
func (r *Review) together(ctx context.Context, t *tasks.State) (string, error) {
	if err := r.Hubs.Get(ctx, t, t.HandIn.Commit); err != nil {
		return "", err
	}
	order := r.order(t)
	order.Aside = togetherRef(t.ID)
	m, err := r.Work.Land(ctx, t.HandIn.Commit, order)
	return m.Commit, err
}

// Start returns the commit for a review that was just claimed: the handed-in work merged with the branch. If these
// clash, Start returns the work to its ship, ends the claim, and returns a *Gone.
func (r *Review) Start(ctx context.Context, t *tasks.State) (string, error) {
	commit, err := r.together(ctx, t)
	if clash := (*sync.Conflict)(nil); errors.As(err, &clash) {
		return "", errors.Join(WentBack(t), r.SendBack(rights.Clock, t, conflictText(clash), false))
	}
	return commit, err
}

// conflictText returns the text that tells the work's agent about a conflict.
func conflictText(err error) string {
	c, _ := errors.AsType[*sync.Conflict](err)
	return "it conflicts with what was merged meanwhile: " + strings.Join(c.Paths[:min(len(c.Paths), 10)], ", ")
}

// back returns the requeue that returns work to its ship, and the text for the captain. Work that was rejected
// maxRejections times is put on hold.
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

// SendBack returns handed-in work to its ship.
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

// Failed handles an error of work in review: it sends work that is to blame back to its ship. For other causes it
// returns the error, and review tries the work again. Work that fails maxRejections times for an unknown cause is put
// on hold, so that other work gets to the branch.
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
		return err // the task is no longer in review
	}
	why := "its work was handed in and cannot be merged: " + clean.Bound(err.Error(), clean.MaxText)
	r.Notes.Add(fleet.Note{Task: t.ID, Text: why + "; to have it done again: " + r.Dir.Command("requeue %s", t.ID)})
	return r.Hinders.OrAway(t.ID, r.As(rights.Clock).Requeue(context.WithoutCancel(r.Context), tasks.Requeue{Task: t.ID, Reason: why, Hold: true}))
}

// validators lists the validators that are connected and can run checks, in the order of the fleet.
func (r *Review) validators(now time.Time) (all []*ship.Ship) {
	for _, f := range r.Roster.Now().Ships {
		if s := r.Claims.Ship(f.Name); f.Role == fleet.Validator && s != nil && s.Reach.IsConnected() && s.State().Trouble.Rest(now) <= 0 {
			all = append(all, s)
		}
	}
	return all
}
