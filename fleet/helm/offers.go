package helm

import (
	"iter"
	"time"

	"ocaptain/fleet/helm/kind"
)

// offer says that a waiting ship was told of a ready task. For a while nobody else
// is woken for it, so that one ready task does not cost a turn of every idle agent.
// Anybody who asks may still claim it.
type offer struct {
	ship  string
	until time.Time
}

// offerTime is how long an offer keeps others asleep.
const offerTime = time.Minute

// offers are found by task.
type offers map[string]offer

// notOffered leaves out the tasks that others were told of a moment ago, and returns the first of the rest.
func (o offers) notOffered(ready iter.Seq[string], ship string, now time.Time) []string {
	var free []string
	for id := range ready {
		if made, ok := o[id]; !ok || made.ship == ship || now.After(made.until) {
			if free = append(free, id); len(free) == kind.MostTold {
				break
			}
		}
	}
	return free
}

// endOffer ends the offer of a task that was claimed, and those that the claimant leaves
// to others with it.
func (o offers) endOffer(task, ship string) {
	delete(o, task)
	o.withdraw(ship)
}

// withdraw ends the offers to a ship that will not take them up, and reports whether there were any.
func (o offers) withdraw(ship string) (some bool) {
	for id, made := range o {
		if made.ship == ship {
			delete(o, id)
			some = true
		}
	}
	return some
}
