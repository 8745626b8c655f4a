package words

import (
	"fmt"
	"strings"

	"ocaptain/fleet/helm/api"
)

// Dispatched says which worker does a dispatch, or its place in the queue, which worker is being made, and what ends the pause of the
// workers that it waits for.
func Dispatched(voyage string, d api.Dispatched) string {
	if d.Worker != "" {
		return d.Worker + " does dispatch " + d.Task
	}
	text := fmt.Sprintf("dispatch %s waits, place %d", d.Task, d.Place)
	switch names := strings.Join(d.Coming, ", "); len(d.Coming) {
	case 0:
	case 1:
		text += "; " + names + " is being made"
	default:
		text += "; " + names + " are being made"
	}
	if len(d.Paused) == 0 {
		return text
	}
	is := " is " + d.Why
	if len(d.Paused) > 1 {
		is = " are paused"
	}
	return text + "; " + strings.Join(d.Paused, ", ") + is + "; to go on: ocaptain resume " + voyage + " --ship " + strings.Join(d.Paused, ",")
}
