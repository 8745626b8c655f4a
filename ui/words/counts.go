package words

import (
	"fmt"

	"ocaptain/fleet"
)

// Tasks counts the tasks of a voyage in few cells: pending, working, done, and, unless 0, in review and on hold.
func Tasks(n fleet.Tally) string {
	text := fmt.Sprintf("%dP %dW ", n.Pending(), n[fleet.TaskWorking])
	if r := n[fleet.TaskInReview]; r > 0 {
		text += fmt.Sprintf("%dR ", r)
	}
	text += fmt.Sprintf("%dD", n.Over())
	if held := n[fleet.TaskOnHold]; held > 0 {
		text += fmt.Sprintf(" %dH", held)
	}
	return text
}

// TasksInFull is Tasks in words.
func TasksInFull(n fleet.Tally) string {
	text := fmt.Sprintf("%d pending, %d working, ", n.Pending(), n[fleet.TaskWorking])
	if r := n[fleet.TaskInReview]; r > 0 {
		text += fmt.Sprintf("%d in review, ", r)
	}
	text += fmt.Sprintf("%d done", n.Over())
	if held := n[fleet.TaskOnHold]; held > 0 {
		text += fmt.Sprintf(", %d on hold", held)
	}
	return text
}

// Dispatches counts the dispatches of a pool like Tasks: queued, running, done, and failed unless 0.
func Dispatches(n fleet.Tally) string {
	text := fmt.Sprintf("%dQ %dR %dD", n.Pending(), n[fleet.TaskWorking], n[fleet.TaskDone])
	if failed := n[fleet.TaskOnHold]; failed > 0 {
		text += fmt.Sprintf(" %dF", failed)
	}
	return text
}

// DispatchesInFull is Dispatches in words.
func DispatchesInFull(n fleet.Tally) string {
	text := fmt.Sprintf("%d queued, %d running, %d done", n.Pending(), n[fleet.TaskWorking], n[fleet.TaskDone])
	if failed := n[fleet.TaskOnHold]; failed > 0 {
		text += fmt.Sprintf(", %d failed", failed)
	}
	return text
}

// Needs counts what needs the captain.
func Needs(n int) string {
	if n == 1 {
		return "1 needs you"
	}
	return fmt.Sprintf("%d need you", n)
}
