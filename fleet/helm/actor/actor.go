// Package actor changes the tasks of a voyage on behalf of somebody, if the table of rights allows it.
package actor

import (
	"context"
	"log/slog"

	"ocaptain/fleet/helm/rights"
	"ocaptain/tasks"
	"ocaptain/tasks/dirstore"
	"ocaptain/tasks/reconcile"
)

// Actor changes tasks on behalf of a rights.Actor. Each method calls the store's method of that name, and fails if the rights do not
// allow the change. Helm changes tasks only through this type.
type Actor struct {
	store *dirstore.Store
	log   *slog.Logger
	by    rights.Actor
}

// New returns an Actor that changes the tasks of a store on behalf of by.
func New(store *dirstore.Store, log *slog.Logger, by rights.Actor) Actor {
	return Actor{store, log, by}
}

// make carries out a change if the rights allow it.
func (a Actor) make(c rights.Change, fn func() error) error {
	if !rights.MayChange(a.by, c) {
		a.log.Error("denied", "actor", a.by, "change", c)
		return &rights.Denied{By: a.by, Change: c}
	}
	return fn()
}

// Add adds tasks.
func (a Actor) Add(ctx context.Context, all []tasks.Task) (added []tasks.Task, err error) {
	err = a.make(rights.Add, func() (err error) {
		added, err = a.store.Add(ctx, all)
		return err
	})
	return added, err
}

// Edit edits a task.
func (a Actor) Edit(ctx context.Context, e tasks.Edit) error {
	e.By = string(a.by)
	return a.make(rights.Edit, func() error { return a.store.Edit(ctx, e) })
}

// Cancel cancels a task.
func (a Actor) Cancel(ctx context.Context, task, why string) error {
	return a.make(rights.Cancel, func() error { return a.store.Cancel(ctx, task, why) })
}

// Reserve reserves a task for a ship.
func (a Actor) Reserve(ctx context.Context, task, ship string) error {
	return a.make(rights.Reserve, func() error { return a.store.Reserve(ctx, task, ship) })
}

// Claim claims a task for a ship.
func (a Actor) Claim(ctx context.Context, owner, task string) (g tasks.Grant, err error) {
	err = a.make(rights.Begin, func() (err error) {
		g, err = a.store.Claim(ctx, owner, task)
		return err
	})
	return g, err
}

// ClaimReview claims the review of a task for a ship.
func (a Actor) ClaimReview(ctx context.Context, owner, task string) (g tasks.Grant, err error) {
	err = a.make(rights.Begin, func() (err error) {
		g, err = a.store.ClaimReview(ctx, owner, task)
		return err
	})
	return g, err
}

// HandIn hands in work for review.
func (a Actor) HandIn(ctx context.Context, done tasks.Completion, summary string) error {
	return a.make(rights.HandIn, func() error { return a.store.HandIn(ctx, done, summary) })
}

// TakeReview gives handed-in work to this hub.
func (a Actor) TakeReview(ctx context.Context, task, commit string, gone bool) error {
	return a.make(rights.Check, func() error { return a.store.TakeReview(ctx, task, commit, gone) })
}

// Checked records the result of a check of work in review.
func (a Actor) Checked(ctx context.Context, task, commit, together string, passed bool) error {
	return a.make(rights.Check, func() error { return a.store.Checked(ctx, task, commit, together, passed) })
}

// Approve approves work in review.
func (a Actor) Approve(ctx context.Context, task, owner string, epoch uint64, r tasks.Review) error {
	return a.make(rights.Approve, func() error { return a.store.Approve(ctx, task, owner, epoch, r) })
}

// Requeue requeues a task.
func (a Actor) Requeue(ctx context.Context, r tasks.Requeue) error {
	r.By = string(a.by)
	return a.make(rights.Requeue, func() error { return a.store.Requeue(ctx, r) })
}

// Complete completes a task.
func (a Actor) Complete(ctx context.Context, done tasks.Completion) error {
	return a.make(rights.Finish, func() error { return a.store.Complete(ctx, done) })
}

// Reopen makes a completed task pending again.
func (a Actor) Reopen(ctx context.Context, r tasks.Reopen) error {
	r.By = string(a.by)
	return a.make(rights.Reopen, func() error { return a.store.Reopen(ctx, r) })
}

// Record completes a claim whose work is already on the branch.
func (a Actor) Record(ctx context.Context, done tasks.Completion) error {
	return a.make(rights.Recorded, func() error { return a.store.Complete(ctx, done) })
}

// Repair puts back what the log that hubs share has lost. See dirstore.Store.
func (a Actor) Repair(ctx context.Context, mend func(log, had []*tasks.State) (reconcile.Mend, error), carryOut bool) (m reconcile.Mend, err error) {
	err = a.make(rights.Repair, func() error {
		m, err = a.store.Repair(ctx, mend, carryOut)
		return err
	})
	return m, err
}
