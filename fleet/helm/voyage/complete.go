package voyage

import (
	"context"
	"errors"
	"fmt"
	"time"

	"ocaptain/fleet/aboard/wire"
	"ocaptain/fleet/dispatch"
	"ocaptain/fleet/helm/blame"
	"ocaptain/fleet/helm/core"
	"ocaptain/fleet/helm/kind"
	"ocaptain/fleet/helm/rights"
	"ocaptain/fleet/proto"
	"ocaptain/sync"
	"ocaptain/tasks"
)

// completeTime bounds a completion: several tries, while others that waited longer have their turns.
const completeTime = 2 * time.Hour

// complete is completeNow for work that may have to wait for the captain's word.
func (s *Ship) complete(ctx context.Context, r proto.CompleteRequest) (proto.Completed, error) {
	for {
		if err := s.decided(ctx, r.Task); err != nil {
			return proto.Completed{}, err
		}
		if done, err := s.completeNow(ctx, r); !errors.Is(err, errAsked) {
			return done, err
		}
	}
}

// completeNow merges the ship's work and records the completion. It is carried through
// even if the ship stops asking; asking again for what is done is fine.
func (s *Ship) completeNow(ctx context.Context, r proto.CompleteRequest) (proto.Completed, error) {
	if err := s.LockForWrite(ctx); err != nil {
		return proto.Completed{}, err
	}
	defer s.Busy.Unlock()
	v := s.v
	if err := v.Hinders.CheckRepository(); err != nil {
		return proto.Completed{}, err
	}
	if err := v.Hinders.OrAway(r.Task, s.recall(ctx, r.Task)); err != nil {
		return proto.Completed{}, err
	}
	t, has, err := s.Asks(rights.Complete, r.Claim)
	if err != nil {
		return proto.Completed{}, err
	}
	if h := t.HandIn; t.InReview() && h.Owner == s.Name {
		return s.completedBefore(ctx, t, proto.Completed{Commit: h.Commit, Empty: h.Empty, Open: true, Review: true})
	}
	outcome, err := v.Kind.Done(v.Store.Snapshot(), t, s.Role)
	switch {
	case err != nil:
		return proto.Completed{}, s.Refuse(r.Task, err)
	case outcome == kind.Open:
		return proto.Completed{Open: true}, nil
	case t.Status == tasks.Completed && t.Owner == s.Name:
		return s.completedBefore(ctx, t, proto.Completed{Commit: t.Commit, Empty: t.Empty})
	case t.Status == tasks.Completed:
		return proto.Completed{}, s.Refuse(r.Task, &tasks.Refusal{Why: tasks.Done, Task: r.Task})
	case has != rights.Holds:
		return proto.Completed{}, s.Refuse(r.Task, fmt.Errorf("your claim of task %s has ended: claim it again", t.ID))
	case !v.Records.IsCheckedOut(t):
		// What lies in the tree was not made for this claim.
		return proto.Completed{}, s.Refuse(r.Task, fmt.Errorf("the tree was not brought up to date for task %s: claim it again", r.Task))
	}
	ctx, cancel := context.WithTimeout(s.Context, completeTime)
	defer cancel()
	order := v.Kind.Merge(t, s.Name, r.Summary)
	order.Check, order.Steers, order.Whole, order.Except, order.Before = s.TaskCheck(t), v.Steering.Judge(t, false), true, v.issues.OwnFiles(), v.once(t)
	if outcome == kind.HandIn {
		order.Aside, order.Stacked = handInRef(t.ID), t.On != ""
	}
	v.Tree.Order(&order, t, v.Store.Snapshot().Tasks)
	var m sync.Merged
	if err = v.Tree.Flush(ctx, s.Name); err == nil {
		m, err = v.Work.Merge(ctx, s, order)
	}
	err = v.Hinders.OrAway(t.ID, err)
	if !blame.IsAway(err) {
		v.Hinders.Unblock(t.ID)
	}
	var c *sync.Conflict
	var n *blame.NotLetIn
	var other *landed
	switch {
	case err != nil && s.Context.Err() != nil:
		return proto.Completed{}, core.ErrEnds
	case blame.IsAway(err):
		s.Unsure = tasks.ClaimID(t.ID, t.Epoch)
		return proto.Completed{}, err
	case errors.As(err, &other):
		return proto.Completed{Commit: other.commit}, v.Hinders.OrAway(t.ID, v.recordLanded(ctx, t, other))
	case errors.As(err, &c):
		s.Conflicted(t, c.Paths)
		s.Veto(t, "its work conflicts with what was merged")
		return proto.Completed{}, &wire.Error{Code: proto.CodeConflict, Text: fmt.Sprintf(
			"%s.\nThe newest state of branch %s was merged into your tree, with conflict markers in these files. "+
				"Resolve them so that both sides' intent is kept, then complete the task again", c, v.Info.Branch)}
	case errors.As(err, &n):
		return proto.Completed{}, s.notLetIn(t, n)
	case err != nil:
		var w *wire.Error
		if errors.As(err, &w) && w.Code == proto.CodeCheck {
			s.Veto(t, "its check failed")
		}
		return proto.Completed{}, s.Refuse(r.Task, err)
	}
	done := tasks.Completion{Task: t.ID, Owner: s.Name, Epoch: t.Epoch, Commit: m.Commit, Empty: m.Changed == 0}
	if outcome == kind.HandIn {
		return s.handedIn(ctx, done, r.Summary, m)
	}
	if order.Onto == "" {
		done.Commit = ownCommit(m)
	}
	if err := v.As(s.Actor()).Complete(context.WithoutCancel(ctx), done); err != nil {
		s.Unsure = tasks.ClaimID(t.ID, t.Epoch)
		return proto.Completed{}, v.Hinders.OrAway(t.ID, err)
	}
	s.Recovered()
	s.AtBranch()
	v.headMoved(m.Commit)
	if order.Onto != "" {
		v.addMark(dispatch.KindDone, dispatch.Mark{
			Task: t.ID, Ship: s.Name, Epoch: t.Epoch, Branch: order.Onto, Commit: m.Commit, Changed: m.Changed, Said: r.Summary,
		})
	}
	s.PassNotes(t.ID, m.Notes)
	v.flagged(t, m)
	return proto.Completed{Commit: done.Commit, Changed: m.Changed, Empty: done.Empty}, nil
}

// completedBefore answers a ship that asks once more to complete what it has completed or handed in. It is refused when its agent has
// changed files since, even back to what the branch has: that is no part of the completion. The caller holds the ship's tree.
func (s *Ship) completedBefore(ctx context.Context, t *tasks.State, done proto.Completed) (proto.Completed, error) {
	if s.v.Tree.IsShared() || s.v.Store.Snapshot().Held(s.Name) != nil { // the changes are another task's
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

// changedSince tells an agent that its later changes are no part of what it has completed or handed in.
func changedSince(task string, done proto.Completed) error {
	if !done.Review {
		return fmt.Errorf("task %s is completed, without what you changed since: propose a task for that", task)
	}
	return fmt.Errorf("task %s is handed in and in review as commit %.12s, without what you changed since. "+
		"Propose a task for that, or wait: if the review sends task %s back to you, claim it and complete it with your changes",
		task, done.Commit, task)
}

// ownCommit is the commit of work that was merged into the branch, "" for work that changes nothing: the branch is at another task's.
func ownCommit(m sync.Merged) string {
	if m.Changed == 0 {
		return ""
	}
	return m.Commit
}

// recall records the completion of a task whose merge is on the branch, and was not recorded
// for want of room. The caller holds the ship's tree.
func (s *Ship) recall(ctx context.Context, task string) error {
	t := s.v.Store.Snapshot().Task(task)
	if t == nil || s.Unsure != tasks.ClaimID(t.ID, t.Epoch) {
		return nil
	}
	done, err := s.v.merged(ctx, t)
	if err != nil {
		return err
	}
	s.Unsure = ""
	if done {
		head, err := s.v.Work.Head(ctx)
		if err != nil {
			return err
		}
		s.v.setHead(head)
	}
	return nil
}
