package words

import (
	"fmt"

	"ocaptain/fleet"
)

// Steering says what became of work that changes files which steer agents.
func Steering(s *fleet.Steering) string {
	text := fmt.Sprintf("task %s changes files that steer agents: %s; ", s.Task, s.FilesText())
	switch s.Word {
	case fleet.Waits:
		return text + fmt.Sprintf("it waits for you: ocaptain diff %s, then ocaptain approve %s, or ocaptain reject %s", s.Task, s.Task, s.Task)
	case fleet.Approved:
		return text + "you have approved that"
	case fleet.Rejected:
		return text + "you have rejected that"
	}
	return text + "look with ocaptain diff " + s.Task
}
