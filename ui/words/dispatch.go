package words

import (
	"fmt"
	"strings"

	"ocaptain/fleet/helm/api"
)

// Dispatched says who does a dispatch, or at which place it waits and who is being made.
func Dispatched(d api.Dispatched) string {
	if d.Worker != "" {
		return d.Worker + " does dispatch " + d.Task
	}
	text := fmt.Sprintf("dispatch %s waits, place %d", d.Task, d.Place)
	switch names := strings.Join(d.Coming, ", "); len(d.Coming) {
	case 0:
		return text
	case 1:
		return text + "; " + names + " is being made"
	default:
		return text + "; " + names + " are being made"
	}
}
