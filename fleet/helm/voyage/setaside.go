package voyage

import (
	"context"
	"fmt"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/facts"
	"ocaptain/fleet/helm/ship"
	"ocaptain/fleet/proto"
	"ocaptain/tasks"
)

// staleWork returns the task whose unmerged changes are still in the ship's tree after another ship completed it; nil for none, or while
// the agent may still work on it. The caller holds v.mu.
func (s *Ship) staleWork(now time.Time) *tasks.State {
	v, all := s.v, s.v.Store.Snapshot()
	t := all.Task(v.Records.StandsFor(s.Name))
	switch {
	case t == nil || t.Status != tasks.Completed || t.Cancelled || t.Owner == s.Name || s.Copies.Now().Unmerged.Changed == 0:
		return nil
	case s.Reach.Conn() == nil || s.State().Leaves || s.v.Kind.Gives() || all.Held(s.Name) != nil:
		return nil
	}
	state := s.known.State.State
	if rests := state == proto.StateIdle || state == proto.StateResting; !s.finished() && (!rests || now.Sub(s.known.StateAt) < restGrace) {
		return nil
	}
	return t
}

// setAsideLocked has what is left in the ship's tree of a task that another ship has completed set aside. The caller holds v.mu.
func (s *Ship) setAsideLocked(now time.Time) {
	if s.settingAside || now.Before(s.asideAfter) || s.staleWork(now) == nil {
		return
	}
	s.settingAside = true
	s.v.Go(func() {
		err := s.setAside()
		changes(s.v, func() {
			s.settingAside = false
			if err != nil {
				s.asideAfter = time.Now().Add(rouseAgain)
				s.v.Log.Warn("set aside", "ship", s.Name, "error", err)
			}
		})
	})
}

// setAside brings the ship's tree to the branch, as its next claim would, which keeps what is left there on a ref.
func (s *Ship) setAside() error {
	if err := s.LockForWrite(s.Context); err != nil {
		return err
	}
	defer s.Busy.Unlock()
	v := s.v
	t := reads(v, func() *tasks.State { return s.staleWork(time.Now()) })
	if t == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(s.Context, ship.TreeTime)
	defer cancel()
	head, err := v.Work.Head(ctx)
	if err != nil {
		return err
	}
	c, err := v.Work.Checkout(ctx, s, s.Name, head)
	if err != nil {
		return err
	}
	s.AtBranch()
	v.Records.CheckOut(facts.Checkout{Ship: s.Name, Commit: c.Commit, Parked: c.Parked})
	if c.Parked != "" {
		v.Notes.Add(fleet.Note{Ship: s.Name, Task: t.ID, Text: fmt.Sprintf("what it had of task %s, which %s completed, was set aside on %s", t.ID, t.Owner, c.Parked)})
	}
	s.PassNotes(t.ID, c.Notes)
	return nil
}
