package voyage

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/aboard/told"
	"ocaptain/fleet/clean"
	"ocaptain/fleet/helm/facts"
	"ocaptain/fleet/helm/kind"
	"ocaptain/fleet/helm/rights"
	"ocaptain/fleet/proto"
	"ocaptain/sync"
	"ocaptain/tasks"
)

// maxRejections is how often work on a task may be sent back before the captain is asked.
const maxRejections = 3

// handInRef keeps work that was handed in, or interrupted before that, and togetherRef what it and the branch become together.
func handInRef(task string) string   { return "refs/ocaptain/reviews/" + task + "/work" }
func togetherRef(task string) string { return "refs/ocaptain/reviews/" + task + "/together" }

// workOf is a task that is in review as it was under the claim of who did the work.
func workOf(t *tasks.State) *tasks.State {
	w := *t
	w.Owner, w.Epoch = t.HandIn.Owner, t.HandIn.Epoch
	return &w
}

// handedIn records work that the ship has handed in, and that is kept on its ref. The caller holds the ship's tree.
func (s *Ship) handedIn(ctx context.Context, done tasks.Completion, summary string, m sync.Merged) (proto.Completed, error) {
	v := s.v
	if err := v.Hinders.OrAway(done.Task, v.shareWork(ctx, done)); err != nil {
		return proto.Completed{}, err
	}
	if err := v.Hinders.OrAway(done.Task, v.As(s.Actor()).HandIn(context.WithoutCancel(ctx), done, clean.Bound(summary, maxText))); err != nil {
		return proto.Completed{}, err
	}
	s.Recovered()
	s.AtBranch()
	s.PassNotes(done.Task, m.Notes)
	return proto.Completed{Commit: m.Commit, Changed: m.Changed, Empty: done.Empty, Open: true, Review: true}, nil
}

// landing describes what the work that was handed in becomes on the branch.
func (v *Voyage) landing(t *tasks.State) sync.Merge {
	w := workOf(t)
	order := v.Kind.Merge(w, w.Owner, t.HandIn.Summary)
	order.Keep, order.Except = "", v.issues.OwnFiles() // what it did is kept with the hand-in
	return order
}

// together makes a commit of what was handed in and the branch as it is now.
func (v *Voyage) together(ctx context.Context, t *tasks.State) (string, error) {
	if err := v.getWork(ctx, t, t.HandIn.Commit); err != nil {
		return "", err
	}
	order := v.landing(t)
	order.Aside = togetherRef(t.ID)
	m, err := v.Work.Land(ctx, t.HandIn.Commit, order)
	return m.Commit, err
}

// startOf returns the commit at which work on a task begins that was just claimed, "" for the branch. A review begins at what was handed
// in and the branch together; when these clash meanwhile, the work goes back and the claim ends.
func (v *Voyage) startOf(ctx context.Context, t *tasks.State) (string, error) {
	if !t.InReview() {
		return cmp.Or(t.On, v.Kind.Base(t)), nil
	}
	commit, err := v.together(ctx, t)
	if clash := (*sync.Conflict)(nil); errors.As(err, &clash) {
		why := &goneReview{told.WentBack(t.HandIn.Owner), &tasks.Refusal{Why: tasks.Stale, Task: t.ID}}
		return "", errors.Join(why, v.sendBack(rights.Clock, t, conflictText(clash), false))
	}
	return commit, err
}

// goneReview is a refusal that tells a validator what to do now that its claim is over.
type goneReview struct {
	text string
	no   *tasks.Refusal
}

func (g *goneReview) Error() string { return g.text }
func (g *goneReview) Unwrap() error { return g.no }

// conflictText tells the agent that did the work what it clashes with.
func conflictText(err error) string {
	c, _ := errors.AsType[*sync.Conflict](err)
	return "it conflicts with what was merged meanwhile: " + strings.Join(c.Paths[:min(len(c.Paths), 10)], ", ")
}

// stays returns a ship's name, "" when it is gone or goes: nothing is to wait for it.
func (v *Voyage) stays(name string) string {
	return reads(v, func() string {
		if f := v.Roster.Ship(name); f == nil || f.Phase == fleet.Going || f.Phase == fleet.Failed {
			return ""
		}
		return name
	})
}

// sendBack has work that was handed in go back to who did it. Work that is rejected again and again needs the captain.
func (v *Voyage) sendBack(by rights.Actor, t *tasks.State, why string, rejected bool) error {
	h := t.HandIn
	back := tasks.Requeue{Task: t.ID, Reason: clean.Bound(why, maxText), Back: h.Commit, For: v.stays(h.Owner), Rejected: rejected}
	if t.Status == tasks.InProgress {
		back.Owner, back.Epoch = t.Owner, t.Epoch
	}
	first, _, _ := strings.Cut(back.Reason, "\n")
	said := "its work went back: " + first
	if rejected && t.Rejections+1 >= maxRejections {
		back.Hold, back.For = true, ""
		back.Reason = fmt.Sprintf("its work was sent back %d times. Last: %s", t.Rejections+1, back.Reason)
		said = fmt.Sprintf("its work was sent back %d times, and it is on hold; to have it tried again: %s. Last: %s", t.Rejections+1, v.Dir.Command("requeue %s", t.ID), first)
	}
	if err := v.Hinders.OrAway(t.ID, v.As(by).Requeue(context.WithoutCancel(v.Context), back)); err != nil {
		return err
	}
	if !rejected {
		v.Records.Conflict(facts.Conflict{Ship: h.Owner}, true)
	}
	v.Notes.Add(fleet.Note{Ship: h.Owner, Task: t.ID, Text: said})
	return nil
}

// putDraft puts returned work into the ship's tree, and says what its agent should know of it. An agent without a model does
// its task again from the start: it can't mend anything.
func (s *Ship) putDraft(ctx context.Context, t *tasks.State) ([]string, error) {
	var notes []string
	switch {
	case t.Resumes > 0:
		notes = []string{fmt.Sprintf("you go on with task %s: %s", t.ID, t.Reason)}
	case t.Draft != "":
		notes = []string{"what was done for this task came back: " + t.Reason}
	}
	if t.Draft == "" || t.InReview() {
		return notes, nil
	}
	if !s.Agent.Talks && !s.Agent.Turns {
		return notes, nil
	}
	if err := s.v.getWork(ctx, t, t.Draft); err != nil {
		s.v.Log.Warn("work of another hub", "task", t.ID, "error", err)
	}
	if !s.v.Work.Has(ctx, t.Draft) {
		return append(notes, "that work is gone from the hub: do the task anew"), nil
	}
	clash, err := s.v.Work.PutBack(ctx, s, s.Name, t.Draft)
	if err != nil {
		return nil, err
	}
	text := "that work is in your tree: mend it, and complete the task again"
	if clash != nil {
		text += ". It clashes with what was merged meanwhile, and these files hold conflict markers: " + strings.Join(clash.Paths[:min(len(clash.Paths), 10)], ", ")
	}
	return append(notes, text), nil
}

// reviewNotes are what a reviewer needs besides the task and the tree.
func (v *Voyage) reviewNotes(t *tasks.State) []string {
	if !t.InReview() {
		return nil
	}
	h := t.HandIn
	notes := []string{fmt.Sprintf("task %s: you review what %s has handed in. Your tree is the branch with that work: git show HEAD", t.ID, h.Owner)}
	add := func(what, text string) {
		if text = strings.TrimSpace(text); text != "" {
			notes = append(notes, what+": "+clean.Bound(text, maxText))
		}
	}
	if h.Empty {
		add("it changes nothing", "no file differs from what "+h.Owner+" began with")
	}
	add("what "+h.Owner+" says of it", h.Summary)
	add("it is accepted when this holds", t.Acceptance())
	switch parent := v.Store.Snapshot().Task(t.Parent()); {
	case parent == nil:
	case parent.Type() == tasks.Epic:
		add("what the captain asked for", parent.Description)
	default: // the captain asked for more than this
		add("it is a part of task "+parent.ID, parent.Subject)
		add("what was asked for", t.Description)
	}
	if is, ok := v.Steering.Of(workOf(t)); ok {
		add("it changes files that steer agents", is.FilesText())
	}
	if t.Rejections > 0 {
		add("why it was sent back before", t.Reason)
	}
	passed := "verify.sh passes on it"
	switch {
	case v.Info.Unchecked:
		passed = "nothing was run on it: the captain gave no command that checks work"
	case !h.Passed:
		passed = "verify.sh fails on it, and on the branch without it as well"
	}
	return append(notes, passed+". Answer with: ocaptain task review approve|reject --why \"…\", or hand in JSON: ocaptain task review FILE. You change nothing: what you edit is not merged")
}

// review takes a validator's word on the work that it holds.
func (s *Ship) review(ctx context.Context, r proto.ReviewRequest) (proto.Reviewed, error) {
	if err := s.LockForWrite(ctx); err != nil {
		return proto.Reviewed{}, err
	}
	defer s.Busy.Unlock()
	v := s.v
	id := r.Claim.Task
	t, has, err := s.Asks(rights.Review, r.Claim)
	switch {
	case err != nil:
		return proto.Reviewed{}, err
	case s.Answered == tasks.ClaimID(id, r.Claim.Epoch): // asked again
		return proto.Reviewed{Task: id}, nil
	case has != rights.Holds || !t.InReview():
		f, _ := v.Records.FenceOf(id, r.Claim.Epoch)
		return proto.Reviewed{}, s.Refuse(id, &goneReview{told.ReviewOver(id, f.Why), &tasks.Refusal{Why: tasks.Stale, Task: id}})
	}
	said, err := tasks.ReadReview(r.Review)
	if err != nil {
		return proto.Reviewed{}, s.Refuse(id, fmt.Errorf("this review cannot be used. Mend it and hand it in again:\n%w", err))
	}
	said.By, said.At, said.Reasoning = s.Name, time.Now().UTC().Round(time.Second), clean.Bound(said.Reasoning, maxText)
	if said.Approved {
		err = v.Hinders.OrAway(id, v.As(s.Actor()).Approve(context.WithoutCancel(ctx), id, s.Name, t.Epoch, said))
	} else {
		err = v.sendBack(s.Actor(), t, reasons(said), true)
	}
	if err != nil {
		return proto.Reviewed{}, err
	}
	s.Answered = tasks.ClaimID(id, r.Claim.Epoch)
	s.Recovered()
	return proto.Reviewed{Task: id}, nil
}

// reasons is what the agent hears whose work was rejected.
func reasons(r tasks.Review) string {
	text := r.By + ": " + r.Reasoning
	for _, s := range r.Suggestions {
		text += "\n- " + s
	}
	return text
}

// discoveryFiles are the files that tell of what a reviewer has found.
func discoveryFiles(t *tasks.State) map[string][]byte {
	h := t.HandIn
	return kind.DiscoveryFiles(t.ID, h.Owner, *h.Review)
}
