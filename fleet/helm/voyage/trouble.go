package voyage

import (
	"fmt"
	"strings"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/clean"
	"ocaptain/fleet/helm/facts"
)

// hasTrouble keeps a ship from taking tasks for a while. The captain is told once.
func (s *Ship) hasTrouble(task, why string) {
	why, _, _ = strings.Cut(clean.Bound(why, 500), "\n")
	var first bool
	changes(s.v, func() {
		first = s.trouble.Add(time.Now(), why)
		s.v.Offers.Withdraw(s.name)
		s.v.requestBoard()
	})
	if first {
		s.v.Notes.Add(fleet.Note{Ship: s.name, Task: task, Text: "takes no tasks for now, and tries again less and less often: " + why})
	}
}

// fitAgain takes in that the ship has done its part of a task. The caller holds v.mu.
func (s *Ship) fitAgain() { s.trouble = facts.Trouble{} }

// inRecess refuses a claim of a ship that has trouble of its own.
func (s *Ship) inRecess(now time.Time) error {
	return reads(s.v, func() error {
		if s.trouble.Rest(now) <= 0 {
			return nil
		}
		return fmt.Errorf("%s takes no tasks for now: %s; end your turn", s.name, s.trouble.Why)
	})
}
