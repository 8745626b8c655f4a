package voyage

import (
	"context"

	"ocaptain/fleet/helm/rights"
	"ocaptain/tasks"
)

// actor changes the tasks of a voyage in the name of a rights.Actor, where the table of rights allows that. helm changes tasks nowhere else.
type actor struct {
	v  *Voyage
	by rights.Actor
}

func (v *Voyage) as(by rights.Actor) actor { return actor{v, by} }

// actor is the ship in its role: what it asks for is changed in its name.
func (s *Ship) actor() rights.Actor { return rights.Actor(s.rightsRole()) }

// make carries out a change, unless the actor may not make it.
func (a actor) make(c rights.Change, fn func() error) error {
	if !rights.MayChange(a.by, c) {
		a.v.log.Error("denied", "actor", a.by, "change", c)
		return &rights.Denied{By: a.by, Change: c}
	}
	return fn()
}

func (a actor) add(ctx context.Context, all []tasks.Task) (added []tasks.Task, err error) {
	err = a.make(rights.Add, func() (err error) {
		added, err = a.v.store.Add(ctx, all)
		return err
	})
	return added, err
}

func (a actor) edit(ctx context.Context, e tasks.Edit) error {
	e.By = string(a.by)
	return a.make(rights.Edit, func() error { return a.v.store.Edit(ctx, e) })
}

func (a actor) cancel(ctx context.Context, task, why string) error {
	return a.make(rights.Cancel, func() error { return a.v.store.Cancel(ctx, task, why) })
}

func (a actor) reserve(ctx context.Context, task, ship string) error {
	return a.make(rights.Reserve, func() error { return a.v.store.Reserve(ctx, task, ship) })
}

func (a actor) claim(ctx context.Context, owner, task string) (g tasks.Grant, err error) {
	err = a.make(rights.Begin, func() (err error) {
		g, err = a.v.store.Claim(ctx, owner, task)
		return err
	})
	return g, err
}

func (a actor) claimReview(ctx context.Context, owner, task string) (g tasks.Grant, err error) {
	err = a.make(rights.Begin, func() (err error) {
		g, err = a.v.store.ClaimReview(ctx, owner, task)
		return err
	})
	return g, err
}

func (a actor) handIn(ctx context.Context, done tasks.Completion, summary string) error {
	return a.make(rights.HandIn, func() error { return a.v.store.HandIn(ctx, done, summary) })
}

func (a actor) checked(ctx context.Context, task, commit, together string, passed bool) error {
	return a.make(rights.Check, func() error { return a.v.store.Checked(ctx, task, commit, together, passed) })
}

func (a actor) approve(ctx context.Context, task, owner string, epoch uint64, r tasks.Review) error {
	return a.make(rights.Approve, func() error { return a.v.store.Approve(ctx, task, owner, epoch, r) })
}

func (a actor) requeue(ctx context.Context, r tasks.Requeue) error {
	r.By = string(a.by)
	return a.make(rights.Requeue, func() error { return a.v.store.Requeue(ctx, r) })
}

func (a actor) complete(ctx context.Context, done tasks.Completion) error {
	return a.make(rights.Finish, func() error { return a.v.store.Complete(ctx, done) })
}

func (a actor) reopen(ctx context.Context, r tasks.Reopen) error {
	r.By = string(a.by)
	return a.make(rights.Reopen, func() error { return a.v.store.Reopen(ctx, r) })
}

// record completes a claim whose work is on the branch already.
func (a actor) record(ctx context.Context, done tasks.Completion) error {
	return a.make(rights.Recorded, func() error { return a.v.store.Complete(ctx, done) })
}
