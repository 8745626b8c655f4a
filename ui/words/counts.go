package words

import "fmt"

// Tasks counts the tasks of a voyage in few cells: pending, working, done, and on hold when there are some.
func Tasks(pending, working, done, held int) string {
	text := fmt.Sprintf("%dP %dW %dD", pending, working, done)
	if held > 0 {
		text += fmt.Sprintf(" %dH", held)
	}
	return text
}

// Dispatches counts the dispatches of a pool as Tasks does: queued, running, done, and failed when some are.
func Dispatches(queued, running, done, failed int) string {
	text := fmt.Sprintf("%dQ %dR %dD", queued, running, done)
	if failed > 0 {
		text += fmt.Sprintf(" %dF", failed)
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
