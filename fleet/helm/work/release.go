package work

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/clean"
	"ocaptain/fleet/helm/facts"
	"ocaptain/fleet/helm/review"
	"ocaptain/fleet/helm/rights"
	"ocaptain/fleet/helm/ship"
	"ocaptain/fleet/proto"
	"ocaptain/tasks"
)

// Release requeues a task that a ship releases. A task that is released repeatedly waits longer each time, and is put
// on hold in the end. A release after a conflict that helm reported does not count. A restart of helm restarts the
// count.
func (w *Work) Release(ctx context.Context, s *ship.Ship, r proto.ReleaseRequest) (any, error) {
	if err := s.LockForWrite(ctx); err != nil {
		return nil, err
	}
	defer s.Busy.Unlock()
	t, _, err := s.Asks(rights.Release, r.Claim)
	if err != nil {
		return nil, err
	}
	why := clean.Bound(r.Reason, clean.MaxText)
	back := tasks.Requeue{Reason: s.Name + ": " + why}
	failed, n := countsAsFailure(r.Trouble, s.State().Refusals, tasks.ClaimID(t.ID, t.Epoch)), 0
	switch {
	case failed:
		s.Recovered()
		n = w.Records.Failures(facts.Work, t.ID) + 1
		back.Delay, back.Hold = retryAfter(n, w.Kind.Tries())
	case r.Trouble != "":
		s.HasTrouble(t.ID, r.Trouble)
	}
	if err := w.Hinders.OrAway(t.ID, w.Claims.Requeue(s.Actor(), t, back)); err != nil {
		return nil, err
	}
	if !failed {
		return nil, nil
	}
	w.Records.Failed(facts.Work, t.ID)
	if back.Hold {
		text := fmt.Sprintf("task %s failed %d times and is on hold; fix the cause, then: %s. Last: %s", t.ID, n, w.Dir.Command("requeue %s", t.ID), why)
		if n == 1 {
			text = fmt.Sprintf("task %s failed and is on hold; to try it again: %s. It says: %s", t.ID, w.Dir.Command("requeue %s", t.ID), why)
		}
		w.Notes.Add(fleet.Note{Ship: s.Name, Task: t.ID, Text: text})
	}
	return nil, nil
}

// countsAsFailure reports whether a release counts as a failure of the task. It does not if the ship has trouble of
// its own, or if helm has reported a conflict.
func countsAsFailure(trouble string, refusals facts.Refusals, claim string) bool {
	_, clashes := refusals.ClashOf(claim)
	return trouble == "" && !clashes
}

// retryAfter returns how long a task waits after its n-th failure, or that it is put on hold because it has failed
// tries times.
func retryAfter(n, tries int) (delay time.Duration, hold bool) {
	if n >= tries {
		return 0, true
	}
	return time.Second << n, false
}

// Fate tells a ship what became of a claim that its task list no longer shows. A ship learns only about its own
// claims.
func (w *Work) Fate(_ context.Context, s *ship.Ship, c proto.Claim) (proto.Fate, error) {
	t := w.Store.Snapshot().Task(c.Task)
	if t == nil {
		return proto.Fate{}, errors.New("there is no such task")
	}
	f, _ := w.Records.FenceOf(c.Task, c.Epoch)
	return fate(t, s.Name, c.Epoch, f), nil
}

// fate returns what became of a ship's claim of a task. f is how that claim was ended, the zero Fence if it was not.
func fate(t *tasks.State, ship string, epoch uint64, f facts.Fence) proto.Fate {
	switch {
	case t.Owner == ship && t.Epoch == epoch && t.Status != tasks.Pending:
		return proto.Fate{Held: t.Status == tasks.InProgress}
	case f.Ship == ship:
		return proto.Fate{Why: f.Why, Kept: f.Kept, GoesOn: f.GoesOn}
	}
	return proto.Fate{}
}

// A task whose agent has used up its turns resumes after a while, a limited number of times.
const (
	turnsDelay  = 5 * time.Second
	mostResumes = 5
)

// EndTurns interrupts an agent that has taken most turns or more under a claim. It keeps the work, and the task
// resumes a while later on the same ship. A task that has resumed too often waits for the captain.
func (w *Work) EndTurns(s *ship.Ship, claim string, took, most int) {
	if s.Lock(s.Context) != nil {
		return
	}
	defer s.Busy.Unlock()
	t := s.Held()
	if t == nil || tasks.ClaimID(t.ID, t.Epoch) != claim {
		return
	}
	back := afterTurns(t.Resumes, took, most, w.Claims.Stays(s.Name))
	if said := s.State().Said; said != "" {
		back.Reason += ". Its agent's last words: " + said
	}
	if _, err := s.Interrupt(s.Context); err != nil {
		w.Log.Warn("the agent goes on while its work is kept", "ship", s.Name, "error", err)
	}
	back.Work = w.keepDraft(s, t)
	if err := w.Hinders.OrAway(t.ID, w.Claims.Revoke(rights.Journal, t, "", back)); err != nil {
		w.Notes.Add(fleet.Note{Ship: s.Name, Task: t.ID, Text: "it has taken too many turns, and cannot be interrupted: " + clean.Bound(err.Error(), clean.MaxText)})
		w.Spending.EndTurnsAgain(s.Name) // EndTurns runs again at the next report
		return
	}
	first, _, _ := strings.Cut(back.Reason, "\n")
	if back.Hold {
		first += "; to have it go on: " + w.Dir.Command("requeue %s", t.ID)
	}
	w.Notes.Add(fleet.Note{Ship: s.Name, Task: t.ID, Text: clean.Bound(first, clean.MaxText)})
}

// afterTurns returns the requeue of a task whose agent has used up its turns, and that has resumed resumes times
// before. to is its ship, "" if the ship is gone.
func afterTurns(resumes, took, most int, to string) tasks.Requeue {
	if resumes >= mostResumes {
		return tasks.Requeue{
			GoesOn: true, Hold: true,
			Reason: fmt.Sprintf("max_turns: it has gone on %d times, has taken %d turns of %d since, and is not done", resumes, took, most),
		}
	}
	return tasks.Requeue{
		GoesOn: true, For: to, Delay: turnsDelay,
		Reason: fmt.Sprintf("max_turns: it has taken %d turns of %d, and goes on in %s, for time %d of %d", took, most, turnsDelay, resumes+1, mostResumes),
	}
}

// keepDraft keeps the work on a task at the hub, and returns a commit from which the task can resume. If it can make
// no such commit, it parks the work and returns "". The caller holds the ship's tree.
func (w *Work) keepDraft(s *ship.Ship, t *tasks.State) string {
	if t.InReview() || !w.Records.IsCheckedOut(t) {
		return ""
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(s.Context), completeTime)
	defer cancel()
	order := w.Kind.Merge(t, s.Name, "")
	order.Keep, order.Onto, order.Aside, order.Stacked = "", "", review.HandInRef(t.ID), true
	m, err := w.Work.Merge(ctx, s, order)
	if err == nil && m.Changed > 0 {
		return m.Commit
	}
	if err != nil {
		kept := s.Park(ctx)
		w.Notes.Add(fleet.Note{Ship: s.Name, Task: t.ID, Text: strings.TrimSpace("what it has done so far cannot be put into its tree again: " + clean.Bound(err.Error(), clean.MaxText) + " " + kept)})
	}
	return ""
}
