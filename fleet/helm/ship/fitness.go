package ship

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/clean"
	"ocaptain/fleet/guard"
	"ocaptain/fleet/helm/facts"
)

// HasTrouble keeps the ship from taking tasks for a while, and tells the captain once.
func (s *Ship) HasTrouble(task, why string) {
	why, _, _ = strings.Cut(clean.Bound(why, 500), "\n")
	var first bool
	s.Change(func(is *State) { first = is.Trouble.Add(time.Now(), why) })
	s.c.Offers.Withdraw(s.Name)
	s.c.Paint.Send()
	if first {
		s.c.Notes.Add(fleet.Note{Ship: s.Name, Task: task, Text: "takes no tasks for now, and tries again less and less often: " + why})
	}
}

// Recovered records that the ship has done its part of a task, so that its trouble is over.
func (s *Ship) Recovered() { s.Change(func(is *State) { is.Trouble = facts.Trouble{} }) }

// Paused returns why the ship is paused, "" if it is not.
func (s *Ship) Paused(now time.Time) string { return s.c.Spending.PausedShip(s.Name, now) }

// ErrPaused is the answer to an agent that requests a task while its ship is paused.
var ErrPaused = errors.New("your voyage or ship is paused: end your turn, and you are told when it goes on")

// Barred returns why the ship, which is about to be sunk, gets no new tasks, nil if it is not about to be sunk.
func (s *Ship) Barred(now time.Time) error {
	f := s.c.Roster.Ship(s.Name)
	guards, _ := s.c.GuardsNow()
	switch {
	case s.State().Leaves:
		return fmt.Errorf("%s is being sunk: end your turn", s.Name)
	case f != nil && guard.TooOldForTasks(guards, now, f):
		return fmt.Errorf("%s is older than %s and is sunk as soon as its work is home: end your turn", s.Name, fleet.FormatSpan(guards.MaxAge))
	}
	return nil
}

// MayBegin returns why the ship may not claim another task, nil if it may.
func (s *Ship) MayBegin(now time.Time) error {
	if s.Paused(now) != "" {
		return ErrPaused
	}
	if err := s.Barred(now); err != nil {
		return err
	}
	if is := s.State().Trouble; is.Rest(now) > 0 {
		return fmt.Errorf("%s takes no tasks for now: %s; end your turn", s.Name, is.Why)
	}
	return nil
}
