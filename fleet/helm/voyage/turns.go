package voyage

import (
	"context"
	"fmt"
	"strings"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/clean"
	"ocaptain/fleet/helm/rights"
	"ocaptain/tasks"
)

// What becomes of a task whose agent has taken as many turns as it may: it goes on a while later, so many times.
const (
	turnsDelay  = 5 * time.Second
	mostResumes = 5
)

// resumeTurns goes on counting after helm has ended, perhaps in the middle of an interruption. The caller holds v.mu.
func (s *Ship) resumeTurns() {
	t := s.v.Store.Snapshot().Held(s.Name)
	if t == nil {
		return
	}
	s.v.Spending.BeginTurns(s.Name, s.Built(), tasks.ClaimID(t.ID, t.Epoch))
	s.countTurns()
}

// countTurns ends the claim under which an agent has taken as many turns as it may. The caller holds v.mu.
func (s *Ship) countTurns() {
	if s.restoring {
		return
	}
	most := s.v.Info.MaxTurns(s.Role)
	if claim, took := s.v.Spending.EndTurns(s.Name, most); claim != "" {
		s.v.Go(func() { s.endTurns(claim, took, most) })
	}
}

// endTurns interrupts the agent: its work is kept, and the task goes on a while later on the same ship. A task that has gone on too
// often waits for the captain.
func (s *Ship) endTurns(claim string, took, most int) {
	if s.Lock(s.Context) != nil {
		return
	}
	defer s.Busy.Unlock()
	v := s.v
	t := v.Store.Snapshot().Held(s.Name)
	if t == nil || tasks.ClaimID(t.ID, t.Epoch) != claim {
		return
	}
	back := tasks.Requeue{GoesOn: true, For: v.stays(s.Name), Delay: turnsDelay}
	back.Reason = fmt.Sprintf("max_turns: it has taken %d turns of %d, and goes on in %s, for time %d of %d", took, most, turnsDelay, t.Resumes+1, mostResumes)
	if t.Resumes >= mostResumes {
		back.Delay, back.Hold, back.For = 0, true, ""
		back.Reason = fmt.Sprintf("max_turns: it has gone on %d times, has taken %d turns of %d since, and is not done", t.Resumes, took, most)
	}
	said := reads(v, func() string { return s.said })
	if said != "" {
		back.Reason += ". Its agent's last words: " + said
	}
	if _, err := s.Interrupt(s.Context); err != nil {
		v.Log.Warn("the agent goes on while its work is kept", "ship", s.Name, "error", err)
	}
	back.Work = s.keepDraft(t)
	if err := v.Hinders.OrAway(t.ID, v.takeAway(rights.Journal, t, "", back)); err != nil {
		v.Notes.Add(fleet.Note{Ship: s.Name, Task: t.ID, Text: "it has taken too many turns, and cannot be interrupted: " + clean.Bound(err.Error(), maxText)})
		v.Spending.EndTurnsAgain(s.Name) // with the next report
		return
	}
	first, _, _ := strings.Cut(back.Reason, "\n")
	if back.Hold {
		first += "; to have it go on: " + v.Dir.Command("requeue %s", t.ID)
	}
	v.Notes.Add(fleet.Note{Ship: s.Name, Task: t.ID, Text: clean.Bound(first, maxText)})
}

// keepDraft keeps what there is of a task's work at the hub, as a commit from which it can go on, "" when there is none. Where it
// cannot be had that way, it is kept on a ref as any other that is taken away. The caller holds the ship's tree.
func (s *Ship) keepDraft(t *tasks.State) string {
	v := s.v
	if t.InReview() || !v.Records.IsCheckedOut(t) {
		return ""
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(s.Context), completeTime)
	defer cancel()
	order := v.Kind.Merge(t, s.Name, "")
	order.Keep, order.Onto, order.Aside, order.Stacked = "", "", handInRef(t.ID), true
	m, err := v.Work.Merge(ctx, s, order)
	if err == nil && m.Changed > 0 {
		return m.Commit
	}
	if err != nil {
		kept := s.Park(ctx)
		v.Notes.Add(fleet.Note{Ship: s.Name, Task: t.ID, Text: strings.TrimSpace("what it has done so far cannot be put into its tree again: " + clean.Bound(err.Error(), maxText) + " " + kept)})
	}
	return ""
}
