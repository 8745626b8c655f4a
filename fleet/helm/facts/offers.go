package facts

import (
	"iter"
	"time"

	"ocaptain/fleet/helm/kind"
)

// OfferTime is how long an offer keeps helm from waking other ships for the task.
const OfferTime = time.Minute

// Offers are the ready tasks that helm has offered to waiting ships, by task. For a while helm wakes no other ship for such a task, so
// that a ready task does not cost a turn of every idle agent. Any ship that asks may still claim it.
type Offers map[string]offer

type offer struct {
	ship  string
	until time.Time
}

// Make records that helm offers a task to a ship.
func (o *Offers) Make(task, ship string, now time.Time) {
	set((*map[string]offer)(o), task, offer{ship, now.Add(OfferTime)})
}

// Free returns the first ready tasks that were not just offered to another ship, at most as many as one message
// names.
func (o Offers) Free(ready iter.Seq[string], ship string, now time.Time) []string {
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

// Claimed ends the offer of a task that a ship has claimed, and the other offers to that ship.
func (o Offers) Claimed(task, ship string) {
	delete(o, task)
	o.Withdraw(ship)
}

// Withdraw ends the offers to a ship that will not accept them, and reports whether there were any.
func (o Offers) Withdraw(ship string) (some bool) {
	for id, made := range o {
		if made.ship == ship {
			delete(o, id)
			some = true
		}
	}
	return some
}
