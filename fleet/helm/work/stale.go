package work

import (
	"context"
	"fmt"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/facts"
	"ocaptain/fleet/helm/ship"
	"ocaptain/tasks"
)

// Stale returns the task whose unmerged changes are still in the ship's tree after another ship completed it, nil for none.
func (w *Work) Stale(s *ship.Ship) *tasks.State {
	t := w.Store.Snapshot().Task(w.Records.StandsFor(s.Name))
	switch {
	case t == nil || t.Status != tasks.Completed || t.Cancelled || t.Owner == s.Name || s.Copies.Now().Unmerged.Changed == 0:
		return nil
	case s.Reach.Conn() == nil || s.State().Leaves || w.Kind.Gives() || s.Held() != nil:
		return nil
	}
	return t
}

// SetAside checks out the branch in a ship's tree that has stale work, as the next claim would. That parks the work.
func (w *Work) SetAside(s *ship.Ship) error {
	if err := s.LockForWrite(s.Context); err != nil {
		return err
	}
	defer s.Busy.Unlock()
	t := w.Stale(s)
	if t == nil || !s.Rests() {
		return nil
	}
	ctx, cancel := context.WithTimeout(s.Context, ship.TreeTime)
	defer cancel()
	head, err := w.Work.Head(ctx)
	if err != nil {
		return err
	}
	c, err := w.Work.Checkout(ctx, s, s.Name, head)
	if err != nil {
		return err
	}
	s.AtBranch()
	w.Records.CheckOut(facts.Checkout{Ship: s.Name, Commit: c.Commit, Parked: c.Parked})
	if c.Parked != "" {
		w.Notes.Add(fleet.Note{Ship: s.Name, Task: t.ID, Text: fmt.Sprintf("what it had of task %s, which %s completed, was set aside on %s", t.ID, t.Owner, c.Parked)})
	}
	s.PassNotes(t.ID, c.Notes)
	return nil
}
