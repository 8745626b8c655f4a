// Package claims ends the claims of a voyage: when their work is on the branch, when their ship is lost, and when the captain wants that.
package claims

import (
	"context"
	"errors"
	"fmt"
	"slices"
	gosync "sync"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/helm/core"
	"ocaptain/fleet/helm/facts"
	"ocaptain/fleet/helm/hubs"
	"ocaptain/fleet/helm/kind"
	"ocaptain/fleet/helm/post"
	"ocaptain/fleet/helm/rights"
	"ocaptain/fleet/helm/ship"
	"ocaptain/fleet/retry"
	"ocaptain/fleet/turn"
	"ocaptain/tasks"
)

// Options say what Claims need from their voyage besides the Core.
type Options struct {
	*core.Core
	Ship  func(name string) *ship.Ship          // returns a ship, nil if it has no machine
	Ships func() []*ship.Ship                   // returns all ships that have a machine
	Awake func(now time.Time) (since time.Time) // since when the hub has been awake
}

// Claims ends the claims of one voyage. Its methods are safe for concurrent use.
type Claims struct {
	Options
	Grants gosync.RWMutex // read-locked while a ship claims a task, and locked while no ship may claim one
	Merges turn.Turn      // held while approved work is merged

	moving gosync.Mutex // held while the branch is asked where it is

	mu      gosync.Mutex
	head    string            // last known head of the branch
	dropped map[string]string // commit of each task whose work is missing on the branch, as the captain was told
}

// New returns the Claims of a voyage.
func New(o Options) *Claims {
	return &Claims{Options: o, Merges: turn.New(), dropped: map[string]string{}}
}

// WorkOf returns a task that is in review as it was under the claim of the ship that did the work.
func WorkOf(t *tasks.State) *tasks.State {
	w := *t
	w.Owner, w.Epoch = t.HandIn.Owner, t.HandIn.Epoch
	return &w
}

// Settle records completions that were merged but not journaled before a crash.
func (c *Claims) Settle() error {
	for _, t := range c.Store.Snapshot().Tasks {
		if hubs.Of(t) != c.Info.HubNumber() {
			continue
		}
		if _, err := c.Merged(c.Context, t); err != nil {
			return err
		}
		if t.Status == tasks.InProgress && t.Owner == fleet.Captain { // helm was killed before it had recorded and answered his approval
			back := tasks.Requeue{Task: t.ID, Owner: fleet.Captain, Epoch: t.Epoch, Reason: "helm ended while you decided about the work: decide again"}
			if err := c.As(rights.Clock).Requeue(c.Context, back); err != nil {
				return err
			}
		}
	}
	return nil
}

// Merged completes a claim whose work is on the branch already, which is the proof of it: a crash or a full disk may have kept the
// completion from being recorded.
func (c *Claims) Merged(ctx context.Context, t *tasks.State) (bool, error) {
	work := t
	switch {
	case t.Approved():
		work = WorkOf(t)
	case t.Status != tasks.InProgress || t.InReview():
		return false, nil
	}
	commit, err := c.findMerge(ctx, work)
	if err != nil || commit == "" {
		return false, err
	}
	return true, c.As(rights.Clock).Record(ctx, tasks.Completion{Task: t.ID, Owner: work.Owner, Epoch: work.Epoch, Commit: commit})
}

// findMerge returns the commit that the work of a claim became, "" for none.
func (c *Claims) findMerge(ctx context.Context, t *tasks.State) (string, error) {
	claim := tasks.ClaimID(t.ID, t.Epoch)
	if onto := c.Kind.Merge(t, t.Owner, "").Onto; onto != "" {
		return c.Work.FindOnto(ctx, onto, kind.TrailerClaim, claim)
	}
	return c.Work.Find(ctx, kind.TrailerClaim, claim)
}

// Requeue ends the claim that t shows and makes its task available, unless its work is merged. The caller holds the tree of the ship that has the claim, so that no
// merge of it is under way.
func (c *Claims) Requeue(by rights.Actor, t *tasks.State, r tasks.Requeue) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(c.Context), time.Minute)
	defer cancel()
	if done, err := c.Merged(ctx, t); done || err != nil {
		return err
	}
	if r.Task = t.ID; t.Status == tasks.InProgress {
		r.Owner, r.Epoch = t.Owner, t.Epoch
	}
	if err := c.As(by).Requeue(ctx, r); err != nil {
		return err
	}
	if t.Status == tasks.InProgress {
		c.Post.Withdraw(t.Owner, post.ClaimID(t.ID, t.Epoch))
	}
	return nil
}

// Revoke ends a claim against its owner's will. The caller holds the tree of that ship.
func (c *Claims) Revoke(by rights.Actor, t *tasks.State, kept string, r tasks.Requeue) error {
	if t.Status == tasks.InProgress {
		c.Records.Fence(facts.Fence{Task: t.ID, Ship: t.Owner, Epoch: t.Epoch, Why: r.Reason, Kept: kept, GoesOn: r.GoesOn && r.For == t.Owner})
	}
	return c.Requeue(by, t, r)
}

// Reopen makes a task open again, with all tasks that it is a part of.
func (c *Claims) Reopen(ctx context.Context, by rights.Actor, t *tasks.State, why string) error {
	c.Records.ForgetFailures("", t.ID)
	if err := c.As(by).Reopen(ctx, tasks.Reopen{Task: t.ID, Epoch: t.Epoch, Reason: why}); err != nil {
		return err
	}
	for parent := c.Store.Snapshot().Task(t.Parent()); parent != nil && parent.Status == tasks.Completed; parent = c.Store.Snapshot().Task(parent.Parent()) {
		if err := c.As(by).Reopen(ctx, tasks.Reopen{Task: parent.ID, Epoch: parent.Epoch, Reason: fmt.Sprintf("task %s, a part of it, is %s", t.ID, why)}); err != nil {
			return err
		}
	}
	return nil
}

// ReopenReverted reopens the tasks of claims whose work was taken off the branch, if helm ended before it did so.
func (c *Claims) ReopenReverted(claims map[string]bool) error {
	for _, t := range c.Store.Snapshot().Tasks {
		if t.Status == tasks.Completed && claims[tasks.ClaimID(t.ID, t.Epoch)] {
			if err := c.Reopen(c.Context, rights.Clock, t, "reverted by the captain"); err != nil {
				return err
			}
		}
	}
	return nil
}

// Stays returns a ship's name, or "" if the ship is gone or is being removed, so that no task waits for it.
func (c *Claims) Stays(name string) string {
	if f := c.Roster.Ship(name); f == nil || f.Phase == fleet.Going || f.Phase == fleet.Failed {
		return ""
	}
	return name
}

// Seize locks a task against its ship, merges and claims, and parks the ship's work on a ref. Call release to
// unlock it.
func (c *Claims) Seize(ctx context.Context, t *tasks.State) (kept string, release func(), err error) {
	var undo []func()
	release = func() {
		for _, f := range slices.Backward(undo) {
			f()
		}
	}
	lock := func(t turn.Turn) error {
		err := t.Lock(ctx)
		if err == nil {
			undo = append(undo, t.Unlock)
		}
		return err
	}
	s := c.Ship(t.Owner)
	switch {
	case t.InReview() && s != nil:
		if err = lockBoth(ctx, c.Merges, s.Busy); err == nil {
			undo = append(undo, c.Merges.Unlock, s.Busy.Unlock)
		}
	case t.InReview():
		err = lock(c.Merges)
	case s != nil:
		err = lock(s.Busy)
	}
	if err == nil && s != nil && s.Holds(t.ID, t.Epoch) {
		kept = s.Park(ctx)
	}
	if err == nil {
		c.Grants.Lock()
		undo = append(undo, c.Grants.Unlock)
		if now := c.Store.Snapshot().Task(t.ID); now.Owner != t.Owner || now.Epoch != t.Epoch || now.Status != t.Status {
			err = api.Refused("task %s has just changed hands: look again", t.ID)
		}
	}
	if err != nil {
		release()
		return "", nil, err
	}
	return kept, release, nil
}

// lockBoth locks first and second. It does not hold first while it waits for second, since a tree may be in use for a
// long time.
func lockBoth(ctx context.Context, first, second turn.Turn) error {
	for {
		if err := first.Lock(ctx); err != nil {
			return err
		}
		if second.TryLock() {
			return nil
		}
		first.Unlock()
		if err := second.Lock(ctx); err != nil {
			return err
		}
		second.Unlock()
	}
}

// Reclaim requeues the tasks of a lost ship, and ends reservations of a group's tasks for it. If a task cannot be
// requeued, Reclaim tells the captain and returns an error. The caller holds the ship's tree, if it has one.
func (c *Claims) Reclaim(by rights.Actor, lost, reason string) error {
	var failed []error
	for _, t := range c.Store.Snapshot().Open() {
		works := t.Status == tasks.InProgress && t.Owner == lost
		var err error
		switch {
		case works:
			err = c.Revoke(by, t, c.park(lost), tasks.Requeue{Reason: reason})
		case t.ReservedFor == lost:
			err = c.As(by).Requeue(context.WithoutCancel(c.Context), tasks.Requeue{Task: t.ID, Owner: lost, Reason: reason})
		default:
			continue
		}
		var no *tasks.Refusal
		switch {
		case errors.As(err, &no): // it is not the ship's any more
		case err != nil:
			failed = append(failed, err)
			c.Notes.Add(fleet.Note{Ship: lost, Task: t.ID, Text: "its task could not be taken back: " + err.Error()})
		case works:
			c.Notes.Add(fleet.Note{Ship: lost, Task: t.ID, Text: fmt.Sprintf("task %s is no longer held by %s: %s", t.ID, lost, reason)})
		}
	}
	return errors.Join(failed...)
}

// park parks the work of a ship that may be gone, and returns the ref, "" for nothing.
func (c *Claims) park(name string) string {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(c.Context), time.Minute)
	defer cancel()
	if s := c.Ship(name); s != nil {
		return s.Park(ctx)
	}
	left, err := c.Work.Park(ctx, name)
	if err != nil {
		c.Log.Warn("park", "ship", name, "error", err)
	}
	return left.Ref
}

// SettleLost requeues the tasks of a ship that is proven gone, or silent for too long. It does nothing while the ship's tree is in use, and
// is called again.
func (c *Claims) SettleLost(s *ship.Ship, by rights.Actor, reason string) {
	if s.Busy.TryLock() {
		defer s.Busy.Unlock()
		_ = c.Reclaim(by, s.Name, reason) // it is called again
	}
}

// Listen requeues a ship's task after the silence that the captain chose. A ship's silence is counted while helm runs and the hub is
// awake: a laptop that slept proves nothing.
func (c *Claims) Listen() {
	if c.Info.Reclaim <= 0 {
		return
	}
	for retry.Sleep(c.Context, 5*time.Second) == nil {
		now := time.Now()
		awake := c.Awake(now)
		for _, s := range c.Ships() {
			if s.Reach.IsSilent(now, awake, c.Info.Reclaim) {
				c.SettleLost(s, rights.Clock, fmt.Sprintf("nothing was heard of %s for %s", s.Name, c.Info.Reclaim))
			}
		}
	}
}

// Resume restores checkouts that the journal has lost: a ship whose agent worked on its task had a checkout for it.
func (c *Claims) Resume(last fleet.Board) {
	for _, t := range c.Store.Snapshot().Tasks {
		if t.Status != tasks.InProgress || c.Records.IsCheckedOut(t) {
			continue
		}
		for i := range last.Ships {
			if s := &last.Ships[i]; s.Name == t.Owner && s.State.Task == t.ID {
				c.Records.CheckOut(facts.Checkout{Task: t.ID, Ship: s.Name, Epoch: t.Epoch})
			}
		}
	}
}
