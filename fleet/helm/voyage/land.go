package voyage

import (
	"context"
	"errors"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/clean"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/helm/blame"
	"ocaptain/fleet/helm/kind"
	"ocaptain/fleet/helm/rights"
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
func (v *Voyage) landNext() (did bool, again time.Duration, err error) {
	queue, err := v.reviewQueue()
	if err != nil {
		return false, restGrace, err
	}
	var all []*landing
	for _, t := range queue {
		if !t.Approved() || len(all) == maxTogether {
			continue
		}
		if barred := v.Hinders.RetryIn(t.ID); barred > 0 {
			again = barred
			continue
		}
		if err := v.takeReview(t); err != nil {
			return false, restGrace, err
		}
		if err := v.getWork(v.Context, t, t.HandIn.Commit); err != nil {
			return false, restGrace, v.Hinders.OrAway(t.ID, err)
		}
		all = append(all, &landing{task: t, order: v.approved(t), as: t.HandIn.Checked})
	}
	if len(all) == 0 {
		return false, again, nil
	}
	if all, err = v.checkTogether(all); err != nil {
		return true, restGrace, v.reviewFailed(all[0].task, err)
	}
	for i, l := range all {
		err := v.land(l, i == 0)
		if errors.Is(err, errMoved) {
			break // it is put on top of what is there now
		}
		if err != nil {
			return true, restGrace, err
		}
	}
	return true, 0, nil
}

// approved describes what approved work becomes on the branch.
func (v *Voyage) approved(t *tasks.State) sync.Merge {
	order := v.landing(t)
	order.Trailers = append(order.Trailers, [2]string{kind.TrailerReview, t.HandIn.Review.By})
	order.Steers, order.Before = v.Steering.Judge(workOf(t), true), v.once(t)
	if !v.Info.Forgetful {
		order.Add = discoveryFiles(t)
	}
	return order
}

// checkTogether puts pieces of work on top of one another, checks the result, and returns the pieces that may be merged: all
// before the first that clashes, or half of them, or half of that, until they pass. The first always may: it is checked alone.
func (v *Voyage) checkTogether(all []*landing) ([]*landing, error) {
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
		m, err := v.Work.Land(v.Context, l.task.HandIn.Commit, order)
		if err != nil {
			break // it is told when it is the first
		}
		stack = append(stack, m.Commit)
	}
	for n := len(stack); n > 1; n /= 2 {
		err := v.checkOn(v.Context, stack[n-1], stack[0])
		if _, failed := errors.AsType[*blame.NotPassed](err); failed {
			continue
		}
		if err != nil {
			return all[:1], err
		}
		for i, l := range all[:n] {
			l.as = stack[i]
		}
		return all[:n], nil
	}
	return all[:1], nil
}

// checkOn has a validator check a commit as passes does. Where all are at checks, it is the next that one of them runs: they take turns
// at its tree.
func (v *Voyage) checkOn(ctx context.Context, commit, first string) error {
	var s *Ship
	begun := false
	changes(v, func() {
		free, checking := v.checkersLocked(v.Store.Snapshot())
		switch {
		case len(free) > 0:
			s, begun = free[0], true
			v.checking[s] = ""
		case len(checking) > 0:
			s = checking[0]
		}
	})
	if begun {
		defer v.endCheck(s)
	}
	if s == nil {
		return &blame.ShipTrouble{Err: api.Refused("it is to be checked again, as the branch has moved on, and no validator can be reached")}
	}
	if err := s.Lock(ctx); err != nil {
		return err
	}
	defer s.Busy.Unlock()
	_, err := s.passes(ctx, commit, first)
	return err
}

// errMoved is the error of work that would become something else than what was checked.
var errMoved = errors.New("the branch has moved on since it was checked")

// land merges one piece, and does what follows when that fails. It holds merges, so that no other goroutine requeues the task. It
// returns errMoved when the branch has moved on since the check, and anew does not allow another check.
func (v *Voyage) land(l *landing, anew bool) error {
	if err := v.merges.Lock(v.Context); err != nil {
		return err
	}
	defer v.merges.Unlock()
	err := v.landLocked(l, anew)
	if errors.Is(err, errMoved) {
		return err
	}
	return v.reviewFailed(l.task, err)
}

// landLocked merges one piece. The caller has locked merges.
func (v *Voyage) landLocked(l *landing, anew bool) error {
	t := l.task
	if now := v.Store.Snapshot().Task(t.ID); !now.Approved() || now.HandIn.Commit != t.HandIn.Commit {
		return nil // somebody just has
	}
	if done, err := v.merged(v.Context, t); done || err != nil {
		return err
	}
	l.order.Check = func(ctx context.Context, commit string) error {
		switch same, err := v.onSame(ctx, commit, l.as); {
		case same || err != nil:
			return err
		case !anew:
			return errMoved
		}
		return v.checkOn(ctx, commit, commit)
	}
	m, err := v.Work.Land(v.Context, t.HandIn.Commit, l.order)
	var no *sync.NotAdded
	var steers *blame.NotLetIn
	if errors.As(err, &no) || errors.As(err, &steers) && len(l.order.Add) > 0 {
		v.Notes.Add(fleet.Note{Ship: t.HandIn.Review.By, Task: t.ID, Text: "what it has found cannot be written into the repository: " + clean.Bound(err.Error(), maxText)})
		l.order.Add = nil
		m, err = v.Work.Land(v.Context, t.HandIn.Commit, l.order)
	}
	w := workOf(t)
	if other, ok := errors.AsType[*landed](err); ok {
		return v.recordLanded(v.Context, w, other)
	}
	if err != nil {
		return err
	}
	v.Hinders.Unblock(t.ID)
	if err := v.As(rights.Clock).Complete(context.WithoutCancel(v.Context), tasks.Completion{Task: t.ID, Owner: w.Owner, Epoch: w.Epoch, Commit: ownCommit(m), Empty: m.Changed == 0}); err != nil {
		return err
	}
	v.headMoved(m.Commit)
	v.flagged(w, m)
	_ = v.Work.Forget(v.Context, handInRef(t.ID), togetherRef(t.ID)) // which hold what is on the branch now
	v.unshareWork(w)
	return nil
}

// onSame reports whether commits a and b stand on the same files; false if b is "".
func (v *Voyage) onSame(ctx context.Context, a, b string) (bool, error) {
	if b == "" {
		return false, nil
	}
	var trees [2]string
	for i, commit := range []string{a, b} {
		on, err := v.Work.Parent(ctx, commit)
		if err == nil {
			trees[i], err = v.Work.Tree(ctx, on)
		}
		if err != nil {
			return false, err
		}
	}
	return trees[0] == trees[1], nil
}
