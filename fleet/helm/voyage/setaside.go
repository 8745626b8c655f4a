package voyage

import (
	"context"
	"fmt"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/facts"
	"ocaptain/fleet/proto"
	"ocaptain/tasks"
)

// staleWork returns the task whose unmerged changes are still in the ship's tree after another ship completed it; nil for none, or while
// the agent may still work on it. The caller holds v.mu.
func (s *Ship) staleWork(now time.Time) *tasks.State {
	v, all := s.v, s.v.Store.Snapshot()
	t := all.Task(v.Records.StandsFor(s.name))
	switch {
	case t == nil || t.Status != tasks.Completed || t.Cancelled || t.Owner == s.name || s.copies.Now().Unmerged.Changed == 0:
		return nil
	case s.reach.Conn() == nil || s.leaving || s.isGiven() || all.Held(s.name) != nil:
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
				s.v.Log.Warn("set aside", "ship", s.name, "error", err)
			}
		})
	})
}

// setAside brings the ship's tree to the branch, as its next claim would, which keeps what is left there on a ref.
func (s *Ship) setAside() error {
	if err := s.lockToRecord(s.ctx); err != nil {
		return err
	}
	defer s.tree.Unlock()
	v := s.v
	t := reads(v, func() *tasks.State { return s.staleWork(time.Now()) })
	if t == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(s.ctx, treeTime)
	defer cancel()
	head, err := v.Work.Head(ctx)
	if err != nil {
		return err
	}
	c, err := v.Work.Checkout(ctx, s, s.name, head)
	if err != nil {
		return err
	}
	s.copies.AtBranch()
	s.CopySoon()
	v.Records.CheckOut(facts.Checkout{Ship: s.name, Commit: c.Commit, Parked: c.Parked})
	if c.Parked != "" {
		v.Notes.Add(fleet.Note{Ship: s.name, Task: t.ID, Text: fmt.Sprintf("what it had of task %s, which %s completed, was set aside on %s", t.ID, t.Owner, c.Parked)})
	}
	s.passNotes(t.ID, c.Notes)
	return nil
}
