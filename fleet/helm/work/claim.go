package work

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/aboard/told"
	"ocaptain/fleet/dispatch"
	"ocaptain/fleet/helm/blame"
	"ocaptain/fleet/helm/claims"
	"ocaptain/fleet/helm/core"
	"ocaptain/fleet/helm/facts"
	"ocaptain/fleet/helm/review"
	"ocaptain/fleet/helm/rights"
	"ocaptain/fleet/helm/ship"
	"ocaptain/fleet/proto"
	"ocaptain/fleet/retry"
	"ocaptain/fleet/search/discoveries"
	"ocaptain/sync"
	"ocaptain/tasks"
)

// Claim handles a ship's own request for a task. Ships of a pool may only repeat the request for a task that they
// hold.
func (w *Work) Claim(ctx context.Context, s *ship.Ship, r proto.ClaimRequest) (proto.Grant, error) {
	if s.Held() == nil && !rights.May(s.RightsRole(), rights.Claim, rights.Ready) {
		return proto.Grant{}, s.Refuse(r.Task, errors.New("nothing is claimed here: you are told what to do"))
	}
	return w.Grant(ctx, s, r)
}

// Grant claims a task for the ship in the store, and then checks out the commit at which work on the task begins. If
// the checkout fails, Grant requeues the task. Once begun, it continues when ctx ends, so that no claim stays half
// made.
func (w *Work) Grant(ctx context.Context, s *ship.Ship, r proto.ClaimRequest) (proto.Grant, error) {
	if err := s.Lock(ctx); err != nil {
		return proto.Grant{}, err
	}
	defer s.Busy.Unlock()
	ctx, cancel := context.WithTimeout(s.Context, ship.TreeTime)
	defer cancel()
	id, err := w.mayClaim(s, r.Task)
	if err != nil {
		return proto.Grant{}, err
	}
	g, err := w.take(ctx, s, id)
	if err = w.Hinders.OrAway(id, err); blame.IsAway(err) {
		return proto.Grant{}, err
	}
	if err != nil {
		return proto.Grant{}, s.Refuse(id, err)
	}
	t := w.Store.Snapshot().Task(g.Task.ID)
	w.Offers.Claimed(t.ID, s.Name)
	out := proto.Grant{Task: g.Task, Epoch: g.Epoch, Group: g.Group, Review: t.InReview()}
	if w.Records.IsCheckedOut(t) {
		out.Again = true
		out.Notes = append([]string{"you held this task already; your tree is as you left it"}, w.reviewNotes(t)...)
		return out, nil
	}
	base, err := w.startOf(ctx, t)
	if err = w.Hinders.OrAway(t.ID, err); blame.IsAway(err) {
		return proto.Grant{}, err // a repeated request gets the same claim
	}
	if err != nil {
		if failed := w.Review.Failed(t, err); failed != nil {
			err = failed
		}
		return proto.Grant{}, s.Refuse(t.ID, err)
	}
	c, drafts, err := w.checkOut(ctx, s, t, base)
	if err != nil {
		return proto.Grant{}, err
	}
	out.Commit = c.Commit
	before, _ := w.Records.FenceOf(t.ID, t.Epoch-1)
	out.Notes = append(append(drafts, w.reviewNotes(t)...), claimNotes(t, before, c.Parked)...)
	out.Notes = append(out.Notes, w.discoveryNotes(ctx, t, c.Commit)...)
	return out, nil
}

// mayClaim returns the task to claim for a ship that requests task id, "" for any task, or why the ship gets none.
func (w *Work) mayClaim(s *ship.Ship, id string) (string, error) {
	if err := w.Kind.Closed(w.Roster.Now().Phase); err != nil {
		return "", err
	}
	if err := w.Hinders.Check(); err != nil {
		return "", err
	}
	has := s.Held()
	if has == nil {
		return id, s.MayBegin(time.Now())
	}
	if id != "" && id != has.ID {
		return "", s.Refuse(id, fmt.Errorf("you hold task %s: complete it first", has.ID))
	}
	return has.ID, nil
}

// quicker is how long a claim waits before it picks another task, after another ship has just claimed the best one.
const quicker = 2 * time.Millisecond

// take claims a task in the store, for "" the best task for the ship.
func (w *Work) take(ctx context.Context, s *ship.Ship, id string) (tasks.Grant, error) {
	w.Claims.Grants.RLock()
	defer w.Claims.Grants.RUnlock()
	claim := w.As(s.Actor()).Claim
	if s.Role == fleet.Validator { // the task may have changed since it was picked
		claim = w.As(s.Actor()).ClaimReview
	}
	for {
		best, err := w.pick(s, id)
		if err != nil {
			return tasks.Grant{}, err
		}
		g, err := claim(ctx, s.Name, best)
		var no *tasks.Refusal
		if id == "" && best != "" && errors.As(err, &no) && (no.Why == tasks.Taken || no.Why == tasks.Stale) && ctx.Err() == nil {
			_ = retry.Sleep(ctx, quicker) // the snapshot shows the other claim once it is on disk
			continue
		}
		if errors.As(err, &no) {
			w.Look().Suggest(no, s.Claimant(), time.Now())
		}
		return g, err
	}
}

// pick returns the task that a ship requests, or for "" the best task that it may claim.
func (w *Work) pick(s *ship.Ship, id string) (string, error) {
	view := w.Look()
	if view.Held(s.Name) != nil {
		return id, nil // a task that the ship holds is granted again
	}
	if id == "" {
		return view.Best(s.Claimant(), time.Now())
	}
	t := w.Store.Snapshot().Task(id)
	if t == nil {
		return id, nil // the store refuses it with a reason
	}
	return id, view.Allow(s.Claimant(), t)
}

// startOf returns the commit at which work on a newly claimed task begins, "" for the head of the branch.
func (w *Work) startOf(ctx context.Context, t *tasks.State) (string, error) {
	if t.InReview() {
		return w.Review.Start(ctx, t)
	}
	return cmp.Or(t.On, w.Kind.Base(t)), nil
}

// checkOut checks out a commit in the ship's tree for a newly claimed task, and records the checkout. It returns
// notes for the agent about work that was returned to it.
func (w *Work) checkOut(ctx context.Context, s *ship.Ship, t *tasks.State, base string) (c sync.Checkout, notes []string, err error) {
	c, err = w.Work.Checkout(ctx, s, s.Name, base)
	if err == nil {
		err = w.Tree.Join(ctx, s.InTree())
	}
	if err == nil {
		notes, err = w.putDraft(ctx, s, t)
	}
	if err == nil {
		err = s.BringFiles(ctx, t.ID)
	}
	if err != nil && s.Context.Err() != nil {
		return c, nil, core.ErrEnds // a repeated request to the next helm gets the same claim
	}
	if err = w.Hinders.OrAway(t.ID, err); blame.IsAway(err) {
		return c, nil, err // a repeated request gets the same claim
	}
	if err != nil {
		s.HasTrouble(t.ID, "checkout failed: "+err.Error())
		back := tasks.Requeue{Task: t.ID, Epoch: t.Epoch, Reason: "checkout on " + s.Name + " failed"}
		if e := w.As(s.Actor()).Requeue(context.WithoutCancel(ctx), back); e != nil {
			err = errors.Join(err, e)
		}
		return c, nil, fmt.Errorf("the tree could not be brought up to date: %w", err)
	}
	w.Hinders.Unblock(t.ID)
	s.Copies.AtBranch()
	w.Spending.BeginTurns(s.Name, s.Record().Built, tasks.ClaimID(t.ID, t.Epoch))
	w.Claims.HeadMoved()
	if w.Kind.Gives() {
		w.mark(dispatch.KindBegan, dispatch.Mark{Task: t.ID, Ship: s.Name, Epoch: t.Epoch})
	}
	w.Records.CheckOut(facts.Checkout{Task: t.ID, Ship: s.Name, Epoch: t.Epoch, Commit: c.Commit, Parked: c.Parked})
	s.PassNotes(t.ID, c.Notes)
	if c.Parked != "" {
		w.Notes.Add(fleet.Note{Ship: s.Name, Task: t.ID, Text: "unmerged work was put aside on " + c.Parked})
	}
	return c, notes, nil
}

// claimNotes returns notes for the agent about the task that it has just claimed. before says how the previous claim
// ended; parked is the ref with the earlier content of the ship's tree, "" for none.
func claimNotes(t *tasks.State, before facts.Fence, parked string) (notes []string) {
	switch {
	case t.Resumes > 0:
	case before.Ship != "":
		text := fmt.Sprintf("task %s was taken back from %s: %s", t.ID, before.Ship, before.Why)
		if before.Kept != "" {
			text += fmt.Sprintf("; what %s had done is not in your tree, it is kept on the hub, on %s", before.Ship, before.Kept)
		}
		notes = append(notes, text)
	case t.Attempts > 1 && t.Reason != "" && t.Draft == "" && !t.InReview():
		notes = append(notes, "another ship had the task before: "+t.Reason)
	}
	if parked != "" {
		notes = append(notes, "work in your tree that belonged to no completed task was put aside on "+parked)
	}
	if t.Verify() != "" && !t.InReview() {
		notes = append(notes, told.Check(t.Verify()))
	}
	return notes
}

// putDraft puts returned work into the ship's tree, and returns notes for the agent. It leaves the tree alone for an
// agent without a model, which can't mend work and does its task again from the start.
func (w *Work) putDraft(ctx context.Context, s *ship.Ship, t *tasks.State) ([]string, error) {
	var notes []string
	switch {
	case t.Resumes > 0:
		notes = []string{fmt.Sprintf("you go on with task %s: %s", t.ID, t.Reason)}
	case t.Draft != "":
		notes = []string{"what was done for this task came back: " + t.Reason}
	}
	if t.Draft == "" || t.InReview() || !s.Agent.Talks && !s.Agent.Turns {
		return notes, nil
	}
	if err := w.Review.Hubs.Get(ctx, t, t.Draft); err != nil {
		w.Log.Warn("work of another hub", "task", t.ID, "error", err)
	}
	if !w.Work.Has(ctx, t.Draft) {
		return append(notes, "that work is gone from the hub: do the task from the start"), nil
	}
	clash, err := w.Work.PutBack(ctx, s, s.Name, t.Draft)
	if err != nil {
		return nil, err
	}
	text := "that work is in your tree: mend it, and complete the task again"
	if clash != nil {
		text += ". It clashes with what was merged meanwhile, and these files hold conflict markers: " + strings.Join(clash.Paths[:min(len(clash.Paths), 10)], ", ")
	}
	return append(notes, text), nil
}

// reviewNotes returns what a validator needs to know besides the task and the tree.
func (w *Work) reviewNotes(t *tasks.State) []string {
	if !t.InReview() {
		return nil
	}
	steers := ""
	if is, ok := w.Steering.Of(claims.WorkOf(t)); ok {
		steers = is.FilesText()
	}
	return review.Notes(t, w.Store.Snapshot().Task(t.Parent()), steers, w.Info.Unchecked)
}

// discoveryNotes returns earlier discoveries of reviewers that fit the planner's epic, from the given commit.
func (w *Work) discoveryNotes(ctx context.Context, t *tasks.State, commit string) []string {
	if t.Type() != tasks.Epic || !w.Info.Search || w.Info.Forgetful {
		return nil
	}
	return discoveries.Notes(ctx, w.Dir.Workspace(), commit, t.Subject+"\n"+t.Description, func(err error) {
		w.Log.Warn("no discoveries for an epic", "task", t.ID, "error", err)
	})
}
