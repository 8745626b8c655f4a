package voyage

import (
	"context"
	"errors"
	"fmt"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/aboard/told"
	"ocaptain/fleet/dispatch"
	"ocaptain/fleet/helm/blame"
	"ocaptain/fleet/helm/core"
	"ocaptain/fleet/helm/facts"
	"ocaptain/fleet/helm/rights"
	"ocaptain/fleet/helm/ship"
	"ocaptain/fleet/proto"
	"ocaptain/fleet/retry"
	"ocaptain/tasks"
)

// claim is grantClaim for what a ship asks for by itself.
func (s *Ship) claim(ctx context.Context, r proto.ClaimRequest) (proto.Grant, error) {
	if s.v.Store.Snapshot().Held(s.Name) == nil && !rights.May(s.RightsRole(), rights.Claim, rights.Ready) {
		return proto.Grant{}, s.Refuse(r.Task, errors.New("nothing is claimed here: you are told what to do"))
	}
	return s.grantClaim(ctx, r)
}

// grantClaim grants a task to the ship: the store's word first, then the ship's tree is
// brought to where work on it begins. A claim whose checkout fails is taken back.
func (s *Ship) grantClaim(ctx context.Context, r proto.ClaimRequest) (proto.Grant, error) {
	if err := s.Lock(ctx); err != nil {
		return proto.Grant{}, err
	}
	defer s.Busy.Unlock()
	v := s.v
	// From here on the claim is carried through even if the ship stops asking, so
	// that it is never left half made.
	ctx, cancel := context.WithTimeout(s.Context, ship.TreeTime)
	defer cancel()
	changes(v, s.forgive)
	if err := v.Kind.Closed(v.Roster.Now().Phase); err != nil {
		return proto.Grant{}, err
	}
	if err := v.Hinders.Check(); err != nil {
		return proto.Grant{}, err
	}
	if has := v.Store.Snapshot().Held(s.Name); has != nil {
		if r.Task != "" && r.Task != has.ID {
			return proto.Grant{}, s.Refuse(r.Task, fmt.Errorf("you hold task %s: complete it first", has.ID))
		}
		r.Task = has.ID
	} else {
		if err := s.MayBegin(time.Now()); err != nil {
			return proto.Grant{}, err
		}
	}
	g, err := s.take(ctx, r.Task)
	if err = v.Hinders.OrAway(r.Task, err); blame.IsAway(err) {
		return proto.Grant{}, err
	}
	if err != nil {
		return proto.Grant{}, s.Refuse(r.Task, err)
	}
	out := proto.Grant{Task: g.Task, Epoch: g.Epoch, Group: g.Group, Review: v.Store.Snapshot().Task(g.Task.ID).InReview()}
	t := v.Store.Snapshot().Task(g.Task.ID)
	v.Offers.Claimed(t.ID, s.Name)
	if v.Records.IsCheckedOut(t) {
		out.Again = true
		out.Notes = append(out.Notes, "you held this task already; your tree is as you left it")
		out.Notes = append(out.Notes, v.reviewNotes(t)...)
		return out, nil
	}
	base, err := v.startOf(ctx, t)
	if err = v.Hinders.OrAway(t.ID, err); blame.IsAway(err) {
		return proto.Grant{}, err // asking again gets the same claim
	}
	if err != nil {
		if failed := v.reviewFailed(t, err); failed != nil {
			err = failed
		}
		return proto.Grant{}, s.Refuse(t.ID, err)
	}
	c, err := v.Work.Checkout(ctx, s, s.Name, base)
	if err == nil {
		err = v.Tree.Join(ctx, s.InTree())
	}
	if err == nil {
		out.Notes, err = s.putDraft(ctx, t)
	}
	if err == nil {
		err = s.BringFiles(ctx, g.Task.ID)
	}
	if err != nil && s.Context.Err() != nil {
		return proto.Grant{}, core.ErrEnds // asking the next helm gets the same claim
	}
	if err = v.Hinders.OrAway(g.Task.ID, err); blame.IsAway(err) {
		return proto.Grant{}, err // asking again gets the same claim
	}
	if err != nil {
		s.HasTrouble(g.Task.ID, "checkout failed: "+err.Error())
		back := tasks.Requeue{Task: g.Task.ID, Epoch: g.Epoch, Reason: "checkout on " + s.Name + " failed"}
		if e := v.As(s.Actor()).Requeue(context.WithoutCancel(ctx), back); e != nil {
			err = errors.Join(err, e)
		}
		return proto.Grant{}, fmt.Errorf("the tree could not be brought up to date: %w", err)
	}
	out.Commit, out.Notes = c.Commit, append(out.Notes, v.reviewNotes(t)...)
	v.Hinders.Unblock(g.Task.ID)
	s.Copies.AtBranch()
	v.Spending.BeginTurns(s.Name, s.Built(), tasks.ClaimID(g.Task.ID, g.Epoch))
	v.headMoved(c.Commit)
	if s.v.Kind.Gives() {
		v.addMark(dispatch.KindBegan, dispatch.Mark{Task: g.Task.ID, Ship: s.Name, Epoch: g.Epoch})
		changes(v, func() { v.commits.Begins(s.Name, time.Now()) })
	}
	v.Records.CheckOut(facts.Checkout{Task: g.Task.ID, Ship: s.Name, Epoch: g.Epoch, Commit: c.Commit, Parked: c.Parked})
	s.PassNotes(g.Task.ID, c.Notes)
	if text := v.before(g.Task.ID, g.Epoch); text != "" && t.Resumes == 0 {
		out.Notes = append(out.Notes, text)
	} else if t.Attempts > 1 && t.Reason != "" && t.Draft == "" && t.Resumes == 0 && !t.InReview() {
		out.Notes = append(out.Notes, "somebody had the task before: "+t.Reason)
	}
	if c.Parked != "" {
		v.Notes.Add(fleet.Note{Ship: s.Name, Task: g.Task.ID, Text: "unmerged work was put aside on " + c.Parked})
		out.Notes = append(out.Notes, "work in your tree that belonged to no completed task was put aside on "+c.Parked)
	}
	if t.Verify() != "" && !t.InReview() {
		out.Notes = append(out.Notes, told.Check(t.Verify()))
	}
	out.Notes = append(out.Notes, v.discoveryNotes(ctx, t, c.Commit)...)
	return out, nil
}

// quicker is how long a ship waits before it looks again when another one was quicker.
const quicker = 2 * time.Millisecond

// take claims a task in the store, the best that is for the ship when id is "".
func (s *Ship) take(ctx context.Context, id string) (tasks.Grant, error) {
	v := s.v
	v.grants.RLock()
	defer v.grants.RUnlock()
	claim := v.As(s.Actor()).Claim
	if s.Role == fleet.Validator { // whatever the task has become since it was picked
		claim = v.As(s.Actor()).ClaimReview
	}
	for {
		best, err := s.pick(id)
		if err != nil {
			return tasks.Grant{}, err
		}
		g, err := claim(ctx, s.Name, best)
		var no *tasks.Refusal
		if id == "" && best != "" && errors.As(err, &no) && (no.Why == tasks.Taken || no.Why == tasks.Stale) && ctx.Err() == nil {
			_ = retry.Sleep(ctx, quicker) // which is shown once it is on the disk
			continue
		}
		if errors.As(err, &no) {
			v.Look().Suggest(no, s.Claimant(), time.Now())
		}
		return g, err
	}
}

// pick returns the task that a ship asks for, or with "" the best that it may claim.
func (s *Ship) pick(id string) (string, error) {
	view := s.v.Look()
	if view.Held(s.Name) != nil {
		return id, nil // which is granted again
	}
	if id == "" {
		return view.Best(s.Claimant(), time.Now())
	}
	t := s.v.Store.Snapshot().Task(id)
	if t == nil {
		return id, nil // the store says so
	}
	return id, view.Allow(s.Claimant(), t)
}
