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

// maxTogether is how many pieces of approved work are checked together at most.
const maxTogether = 16

// landing is approved work on its way to the branch.
type landing struct {
	task  *tasks.State
	order sync.Merge
	as    string // a commit of it, on top of the branch and what is merged before, that was checked; "" for none
}

// landNext merges the work that was approved. What the branch and the oldest of it become was checked before its review. Where that is
// not what they become now, or there is more of it, all of it together is checked first: checks take longer than merges.
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
			break // it is put on top of what is there now
		}
		if err != nil {
			return true, again, err
		}
	}
	return true, 0, nil
}

// approved describes what approved work becomes on the branch.
func (r *Review) approved(t *tasks.State) sync.Merge {
	order := r.order(t)
	order.Trailers = append(order.Trailers, [2]string{kind.TrailerReview, t.HandIn.Review.By})
	order.Steers, order.Before = r.Steering.Judge(claims.WorkOf(t), true), r.Hubs.Once(t)
	if !r.Info.Forgetful {
		order.Add = kind.DiscoveryFiles(t.ID, t.HandIn.Owner, *t.HandIn.Review)
	}
	return order
}

// checkTogether puts pieces of work on top of one another, checks the result, and returns the pieces that may be merged: all
// before the first that clashes, or half of them, or half of that, until they pass. The first always may: it is checked alone.
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
			break // it is told when it is the first
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

// passing returns how many of the first n pieces of work may be merged, by a check of so many together: all, or half of them, or half of that,
// until they pass. The first always may: it is checked alone.
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

// checkOn has a validator check a commit as passes does. Where all are at checks, it is the next that one of them runs: they take turns
// at its tree.
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

// checker returns a validator for a check, nil for none. begun says that it begins with that, until endCheck, and did not check anything else.
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

// errMoved is the error of work that would not become what was checked.
var errMoved = errors.New("the branch has moved on since it was checked")

// land merges one piece, and does what follows when that fails. It holds Merges, so that no other goroutine requeues the task. When the branch
// has moved on since the check, land checks the piece again if mayCheck, else it returns errMoved.
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
	r.Claims.HeadMoved(m.Commit)
	r.Claims.Flag(w, m)
	_ = r.Work.Forget(r.Context, HandInRef(t.ID), togetherRef(t.ID)) // which hold what is on the branch now
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
