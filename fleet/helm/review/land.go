package review

import (
	"context"
	"errors"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/clean"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/helm/blame"
	"ocaptain/fleet/helm/claims"
	"ocaptain/fleet/helm/kind"
	"ocaptain/fleet/helm/rights"
	"ocaptain/fleet/helm/ship"
	"ocaptain/sync"
	"ocaptain/tasks"
)

// maxTogether bounds how many pieces of approved work are checked together.
const maxTogether = 16

// landing is approved work on its way to the branch.
type landing struct {
	task  *tasks.State
	order sync.Merge
	as    string // checked commit of the work on top of the branch and the pieces before it, "" if none was checked
}

// landNext merges approved work. The oldest piece was checked with the branch before its review. If several pieces
// are approved, landNext first checks them all together, since checks take longer than merges.
func (r *Review) landNext() (did bool, wait time.Duration, err error) {
	queue, err := r.queue()
	if err != nil {
		return false, again, err
	}
	var all []*landing
	for _, t := range queue {
		if !t.Approved() || len(all) == maxTogether {
			continue
		}
		if barred := r.Hinders.RetryIn(t.ID); barred > 0 {
			wait = barred
			continue
		}
		if err := r.Hubs.Take(t); err != nil {
			return false, again, err
		}
		if err := r.Hubs.Get(r.Context, t, t.HandIn.Commit); err != nil {
			return true, again, r.Failed(t, err)
		}
		all = append(all, &landing{task: t, order: r.approved(t), as: t.HandIn.Checked})
	}
	if len(all) == 0 {
		return false, wait, nil
	}
	if all, err = r.checkTogether(all); err != nil {
		return true, again, r.Failed(all[0].task, err)
	}
	for i, l := range all {
		err := r.land(l, i == 0)
		if errors.Is(err, errMoved) {
			break // the next call puts it on top of the new branch
		}
		if err != nil {
			return true, again, err
		}
	}
	return true, 0, nil
}

// approved returns the order to merge approved work into the branch.
func (r *Review) approved(t *tasks.State) sync.Merge {
	order := r.order(t)
	order.Trailers = append(order.Trailers, [2]string{kind.TrailerReview, t.HandIn.Review.By})
	order.Steers, order.Before = r.Steering.Judge(claims.WorkOf(t), true), r.Hubs.Once(t)
	if !r.Info.Forgetful {
		order.Add = kind.DiscoveryFiles(t.ID, t.HandIn.Owner, *t.HandIn.Review)
	}
	return order
}

// checkTogether stacks pieces of work on one another, up to the first piece that clashes, and returns the pieces to merge:
// all if their check passes, else the first half, quarter and so on that passes. It always returns the first piece,
// which is checked alone when it is merged.
func (r *Review) checkTogether(all []*landing) ([]*landing, error) {
	if len(all) == 1 {
		return all, nil
	}
	var stack []string
	for _, l := range all {
		order := l.order
		order.Aside = togetherRef(l.task.ID)
		if len(stack) > 0 {
			order.On = stack[len(stack)-1]
		}
		m, err := r.Work.Land(r.Context, l.task.HandIn.Commit, order)
		if err != nil {
			break // its ship hears of the error once this piece is the first
		}
		stack = append(stack, m.Commit)
	}
	n, err := passing(len(stack), func(n int) error { return r.checkOn(r.Context, stack[n-1], stack[0]) })
	if n > 1 {
		for i, l := range all[:n] {
			l.as = stack[i]
		}
	}
	return all[:n], err
}

// passing returns how many of the first n pieces may be merged. check checks that many together. passing halves n
// until the check passes; for 1 it makes no check.
func passing(n int, check func(n int) error) (int, error) {
	for ; n > 1; n /= 2 {
		err := check(n)
		if _, failed := errors.AsType[*blame.NotPassed](err); failed {
			continue
		}
		if err != nil {
			return 1, err
		}
		return n, nil
	}
	return 1, nil
}

// checkOn has a validator run passes on a commit. If all validators are running checks, it waits for the tree of one
// of them.
func (r *Review) checkOn(ctx context.Context, commit, first string) error {
	s, begun := r.checker()
	if begun {
		defer r.endCheck(s)
	}
	if s == nil {
		return &blame.ShipTrouble{Err: api.Refused("it is to be checked again, as the branch has moved on, and no validator can be reached")}
	}
	if err := s.Lock(ctx); err != nil {
		return err
	}
	defer s.Busy.Unlock()
	_, err := r.passes(ctx, s, commit, first)
	return err
}

// checker returns a validator for a check, nil for none. begun means that the validator was free and is now marked as
// checking, until endCheck.
func (r *Review) checker() (s *ship.Ship, begun bool) {
	can, all := r.validators(time.Now()), r.Store.Snapshot()
	r.mu.Lock()
	defer r.mu.Unlock()
	free, checking := r.split(can, all)
	switch {
	case len(free) > 0:
		r.checking[free[0].Name] = ""
		return free[0], true
	case len(checking) > 0:
		return checking[0], false
	}
	return nil, false
}

// errMoved means that the branch has moved since the check, so that a merge would not give the checked commit.
var errMoved = errors.New("the branch has moved on since it was checked")

// land merges one piece and handles its error with Failed. It holds Merges, so that no other goroutine requeues the
// task. If the branch has moved since the check, land checks the piece again if mayCheck is set, else it returns
// errMoved.
func (r *Review) land(l *landing, mayCheck bool) error {
	if err := r.Claims.Merges.Lock(r.Context); err != nil {
		return err
	}
	defer r.Claims.Merges.Unlock()
	err := r.landLocked(l, mayCheck)
	if errors.Is(err, errMoved) {
		return err
	}
	return r.Failed(l.task, err)
}

// landLocked is land for a caller that holds Merges.
func (r *Review) landLocked(l *landing, mayCheck bool) error {
	t := l.task
	if now := r.Store.Snapshot().Task(t.ID); !now.Approved() || now.HandIn.Commit != t.HandIn.Commit {
		return nil // it was merged or sent back meanwhile
	}
	if done, err := r.Claims.Merged(r.Context, t); done || err != nil {
		return err
	}
	l.order.Check = func(ctx context.Context, commit string) error {
		switch same, err := r.onSame(ctx, commit, l.as); {
		case same || err != nil:
			return err
		case !mayCheck:
			return errMoved
		}
		return r.checkOn(ctx, commit, commit)
	}
	m, err := r.Work.Land(r.Context, t.HandIn.Commit, l.order)
	var no *sync.NotAdded
	var steers *blame.NotLetIn
	if errors.As(err, &no) || errors.As(err, &steers) && len(l.order.Add) > 0 {
		r.Notes.Add(fleet.Note{Ship: t.HandIn.Review.By, Task: t.ID, Text: "what it has found cannot be written into the repository: " + clean.Bound(err.Error(), clean.MaxText)})
		l.order.Add = nil
		m, err = r.Work.Land(r.Context, t.HandIn.Commit, l.order)
	}
	w := claims.WorkOf(t)
	if other, ok := errors.AsType[*Landed](err); ok {
		return r.Hubs.Record(r.Context, w, other)
	}
	if err != nil {
		return err
	}
	r.Hinders.Unblock(t.ID)
	if err := r.As(rights.Clock).Complete(context.WithoutCancel(r.Context), tasks.Completion{Task: t.ID, Owner: w.Owner, Epoch: w.Epoch, Commit: claims.OwnCommit(m), Empty: m.Changed == 0}); err != nil {
		return err
	}
	r.Claims.HeadMoved()
	r.Claims.Flag(w, m)
	_ = r.Work.Forget(r.Context, HandInRef(t.ID), togetherRef(t.ID)) // the branch has this work now
	return nil
}

// onSame reports whether the parents of commits a and b have the same files; false if b is "".
func (r *Review) onSame(ctx context.Context, a, b string) (bool, error) {
	if b == "" {
		return false, nil
	}
	var trees [2]string
	for i, commit := range []string{a, b} {
		on, err := r.Work.Parent(ctx, commit)
		if err == nil {
			trees[i], err = r.Work.Tree(ctx, on)
		}
		if err != nil {
			return false, err
		}
	}
	return trees[0] == trees[1], nil
}
