package work

import (
	"context"
	"errors"
	"fmt"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/aboard/wire"
	"ocaptain/fleet/clean"
	"ocaptain/fleet/dispatch"
	"ocaptain/fleet/helm/blame"
	"ocaptain/fleet/helm/claims"
	"ocaptain/fleet/helm/core"
	"ocaptain/fleet/helm/kind"
	"ocaptain/fleet/helm/review"
	"ocaptain/fleet/helm/rights"
	"ocaptain/fleet/helm/ship"
	"ocaptain/fleet/proto"
	"ocaptain/sync"
	"ocaptain/tasks"
)

// completeTime bounds a completion. It may take several tries, between which other merges have their turns.
const completeTime = 2 * time.Hour

// errAsked means that the captain was asked about the work.
var errAsked = errors.New("the captain was asked")

// Complete merges the ship's work and records the completion, or hands the work in. If the captain has to decide
// about the work, it waits for him. A ship may repeat the request after it was done.
func (w *Work) Complete(ctx context.Context, s *ship.Ship, r proto.CompleteRequest) (proto.Completed, error) {
	for {
		if err := w.decided(ctx, s, r.Task); err != nil {
			return proto.Completed{}, err
		}
		if done, err := w.completeNow(ctx, s, r); !errors.Is(err, errAsked) {
			return done, err
		}
	}
}

// decided waits until the captain has decided about the work, if he was asked, or the claim has ended. The caller
// must not hold a lock of the ship.
func (w *Work) decided(ctx context.Context, s *ship.Ship, task string) error {
	for {
		news := w.News.Next()
		if t := w.Store.Snapshot().Task(task); t == nil || w.Steering.Waiting(t) == nil {
			return nil
		}
		select {
		case <-news:
		case <-ctx.Done():
		case <-s.Context.Done():
		}
		if s.Context.Err() != nil {
			return core.ErrEnds
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
}

// completeNow is Complete without waiting: it returns errAsked if the captain has to decide. Once begun, it continues
// when ctx ends.
func (w *Work) completeNow(ctx context.Context, s *ship.Ship, r proto.CompleteRequest) (proto.Completed, error) {
	if err := s.LockForWrite(ctx); err != nil {
		return proto.Completed{}, err
	}
	defer s.Busy.Unlock()
	if err := w.Hinders.CheckRepository(); err != nil {
		return proto.Completed{}, err
	}
	if err := w.Hinders.OrAway(r.Task, w.recall(ctx, s, r.Task)); err != nil {
		return proto.Completed{}, err
	}
	t, has, err := s.Asks(rights.Complete, r.Claim)
	if err != nil {
		return proto.Completed{}, err
	}
	if h := t.HandIn; t.InReview() && h.Owner == s.Name {
		return w.completedBefore(ctx, s, t, proto.Completed{Commit: h.Commit, Empty: h.Empty, Open: true, Review: true})
	}
	outcome, err := w.Kind.Done(w.Store.Snapshot(), t, s.Role)
	switch {
	case err != nil:
		return proto.Completed{}, s.Refuse(t.ID, err)
	case outcome == kind.Open:
		return proto.Completed{Open: true}, nil
	case t.Status == tasks.Completed && t.Owner == s.Name:
		return w.completedBefore(ctx, s, t, proto.Completed{Commit: t.Commit, Empty: t.Empty})
	}
	if err := mayMerge(t, has, w.Records.IsCheckedOut(t)); err != nil {
		return proto.Completed{}, s.Refuse(t.ID, err)
	}
	return w.merge(s, t, r.Summary, outcome == kind.HandIn)
}

// mayMerge returns why helm must not merge a ship's work on a task, nil if it may. has is the ship's relation to the
// task; checkedOut says that the ship's tree had a checkout for this claim.
func mayMerge(t *tasks.State, has rights.Relation, checkedOut bool) error {
	switch {
	case t.Status == tasks.Completed:
		return &tasks.Refusal{Why: tasks.Done, Task: t.ID}
	case has != rights.Holds:
		return fmt.Errorf("your claim of task %s has ended: claim it again", t.ID)
	case !checkedOut: // the tree's content was not made under this claim
		return fmt.Errorf("the tree was not brought up to date for task %s: claim it again", t.ID)
	}
	return nil
}

// merge merges the work of the ship's claim into the branch and completes the task, or hands the work in. The caller holds the ship's tree.
func (w *Work) merge(s *ship.Ship, t *tasks.State, summary string, handIn bool) (proto.Completed, error) {
	ctx, cancel := context.WithTimeout(s.Context, completeTime)
	defer cancel()
	order := w.Kind.Merge(t, s.Name, summary)
	order.Check, order.Steers, order.Whole, order.Except, order.Before = s.TaskCheck(t), w.Steering.Judge(t, false), true, w.Review.OwnFiles(), w.Review.Hubs.Once(t)
	if handIn {
		order.Aside, order.Stacked = review.HandInRef(t.ID), t.On != ""
	}
	w.Tree.Order(&order, t, w.Store.Snapshot().Tasks)
	var m sync.Merged
	err := w.Tree.Flush(ctx, s.Name)
	if err == nil {
		m, err = w.Work.Merge(ctx, s, order)
	}
	if err = w.Hinders.OrAway(t.ID, err); !blame.IsAway(err) {
		w.Hinders.Unblock(t.ID)
	}
	if err != nil {
		return w.notMerged(ctx, s, t, err)
	}
	done := tasks.Completion{Task: t.ID, Owner: s.Name, Epoch: t.Epoch, Commit: m.Commit, Empty: m.Changed == 0}
	if handIn {
		return w.handIn(ctx, s, done, summary, m)
	}
	if order.Onto == "" {
		done.Commit = claims.OwnCommit(m)
	}
	if err := w.As(s.Actor()).Complete(context.WithoutCancel(ctx), done); err != nil {
		s.Unsure = tasks.ClaimID(t.ID, t.Epoch)
		return proto.Completed{}, w.Hinders.OrAway(t.ID, err)
	}
	s.Recovered()
	s.AtBranch()
	w.Claims.HeadMoved()
	if order.Onto != "" {
		w.mark(dispatch.KindDone, dispatch.Mark{
			Task: t.ID, Ship: s.Name, Epoch: t.Epoch, Branch: order.Onto, Commit: m.Commit, Changed: m.Changed, Said: summary,
		})
	}
	s.PassNotes(t.ID, m.Notes)
	w.Claims.Flag(t, m)
	return proto.Completed{Commit: done.Commit, Changed: m.Changed, Empty: done.Empty}, nil
}

// notMerged returns the answer to a ship whose work was not merged because of err.
func (w *Work) notMerged(ctx context.Context, s *ship.Ship, t *tasks.State, err error) (proto.Completed, error) {
	var clash *sync.Conflict
	var steers *blame.NotLetIn
	var other *review.Landed
	var refused *wire.Error
	switch {
	case s.Context.Err() != nil:
		return proto.Completed{}, core.ErrEnds
	case blame.IsAway(err):
		s.Unsure = tasks.ClaimID(t.ID, t.Epoch)
		return proto.Completed{}, err
	case errors.As(err, &other):
		return proto.Completed{Commit: other.Commit}, w.Hinders.OrAway(t.ID, w.Review.Hubs.Record(ctx, t, other))
	case errors.As(err, &clash):
		s.Conflicted(t, clash.Paths)
		s.Veto(t, "its work conflicts with what was merged")
		return proto.Completed{}, &wire.Error{Code: proto.CodeConflict, Text: fmt.Sprintf(
			"%s.\nThe newest state of branch %s was merged into your tree, with conflict markers in these files. "+
				"Resolve them so that both sides' intent is kept, then complete the task again", clash, w.Info.Branch)}
	case errors.As(err, &steers):
		return proto.Completed{}, w.notLetIn(s, t, steers)
	case errors.As(err, &refused) && refused.Code == proto.CodeCheck:
		s.Veto(t, "its check failed")
	}
	return proto.Completed{}, s.Refuse(t.ID, err)
}

// notLetIn asks the captain about work that steers agents, or tells the agent no. The caller holds the ship's tree.
func (w *Work) notLetIn(s *ship.Ship, t *tasks.State, n *blame.NotLetIn) error {
	if !n.Waits {
		s.Veto(t, "it changes files that steer agents")
		return s.Refuse(t.ID, &wire.Error{Code: proto.CodeCheck, Text: n.Error()})
	}
	if err := w.Steering.Ask(n.Steering); err != nil {
		return w.Hinders.OrAway(t.ID, err)
	}
	w.Notes.Add(fleet.Note{Ship: s.Name, Task: t.ID, Text: fmt.Sprintf("changes files that steer agents and is not merged until you approve it: %s; look with %s, then %s, or %s",
		n.FilesText(), w.Dir.Command("diff %s", t.ID), w.Dir.Command("approve %s", t.ID), w.Dir.Command("reject %s", t.ID))})
	return errAsked
}

// handIn records work that the ship has handed in, and that is kept on its ref. The caller holds the ship's tree.
func (w *Work) handIn(ctx context.Context, s *ship.Ship, done tasks.Completion, summary string, m sync.Merged) (proto.Completed, error) {
	if err := w.Hinders.OrAway(done.Task, w.Share(ctx, done)); err != nil {
		return proto.Completed{}, err
	}
	if err := w.Hinders.OrAway(done.Task, w.As(s.Actor()).HandIn(context.WithoutCancel(ctx), done, clean.Bound(summary, clean.MaxText))); err != nil {
		return proto.Completed{}, err
	}
	s.Recovered()
	s.AtBranch()
	s.PassNotes(done.Task, m.Notes)
	return proto.Completed{Commit: m.Commit, Changed: m.Changed, Empty: done.Empty, Open: true, Review: true}, nil
}

// completedBefore answers a ship that repeats the completion of a task. It refuses the request if the agent has
// changed files since, even back to the branch's version, since the completion does not include these changes. The
// caller holds the ship's tree.
func (w *Work) completedBefore(ctx context.Context, s *ship.Ship, t *tasks.State, done proto.Completed) (proto.Completed, error) {
	if w.Tree.IsShared() || s.Held() != nil { // the changes belong to another task
		return done, nil
	}
	if err := s.Copies.Copy(ctx); err != nil {
		return proto.Completed{}, err
	}
	if s.Copies.Now().Since == 0 {
		return done, nil
	}
	return proto.Completed{}, s.Refuse(t.ID, changedSince(t.ID, done))
}

// changedSince returns the error that tells an agent that the completion does not include its later changes.
func changedSince(task string, done proto.Completed) error {
	if !done.Review {
		return fmt.Errorf("task %s is completed, without what you changed since: propose a task for that", task)
	}
	return fmt.Errorf("task %s is handed in and in review as commit %.12s, without what you changed since. "+
		"Propose a task for that, or wait: if the review sends task %s back to you, claim it and complete it with your changes",
		task, done.Commit, task)
}

// recall records the completion of a task whose merge is on the branch, after a full disk kept helm from recording
// it. The caller holds the ship's tree.
func (w *Work) recall(ctx context.Context, s *ship.Ship, task string) error {
	t := w.Store.Snapshot().Task(task)
	if t == nil || s.Unsure != tasks.ClaimID(t.ID, t.Epoch) {
		return nil
	}
	done, err := w.Claims.Merged(ctx, t)
	if err != nil {
		return err
	}
	s.Unsure = ""
	if done {
		w.Claims.HeadMoved()
	}
	return nil
}
