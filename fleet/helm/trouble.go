package helm

import (
	"fmt"
	"strings"
	"time"

	"ocaptain/fleet"
)

// The pauses of a ship that has trouble of its own, such as a full disk.
const (
	firstRecess = 2 * time.Second
	mostRecess  = time.Minute
)

// hasTrouble keeps a ship from taking tasks that could not take one, or not do it, for reasons of its
// own: longer each time, until it has done its part of one. The captain is told once.
func (s *ship) hasTrouble(task, why string) {
	why, _, _ = strings.Cut(cleanText(why, 500), "\n")
	s.v.mu.Lock()
	first := s.known.Trouble == ""
	if s.known.Trouble = why; first {
		s.known.TroubleAt = time.Now()
	}
	s.takesAfter = time.Now().Add(min(mostRecess, firstRecess<<min(s.troubles, 10)))
	s.troubles++
	s.v.offers.withdraw(s.name)
	s.v.requestBoard()
	s.v.mu.Unlock()
	if first {
		s.v.addNote(fleet.Note{Ship: s.name, Task: task, Text: "takes no tasks for now, and tries again less and less often: " + why})
	}
}

// recess is how long the ship takes no tasks. The caller holds v.mu.
func (s *ship) recess(now time.Time) time.Duration { return s.takesAfter.Sub(now) }

// fitAgain takes in that the ship has done its part of a task. The caller holds v.mu.
func (s *ship) fitAgain() {
	s.known.Trouble, s.troubles, s.takesAfter = "", 0, time.Time{}
}

// inRecess refuses a claim of a ship that has trouble of its own.
func (s *ship) inRecess(now time.Time) error {
	s.v.mu.Lock()
	defer s.v.mu.Unlock()
	if s.recess(now) <= 0 {
		return nil
	}
	return fmt.Errorf("%s takes no tasks for now: %s; end your turn", s.name, s.known.Trouble)
}
