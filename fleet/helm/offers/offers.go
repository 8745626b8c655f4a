// Package offers remembers which ready tasks helm has offered to which waiting ship.
package offers

import (
	"iter"
	"sync"
	"time"

	"ocaptain/fleet/helm/kind"
)

// Time is how long an offer keeps helm from waking other ships for the task.
const Time = time.Minute

// Offers are the ready tasks that helm has offered to waiting ships. For a while helm wakes no other ship for such a task, so that a ready
// task does not cost a turn of every idle agent. Any ship that asks may still claim it. The zero Offers has none, and its methods are safe for
// concurrent use.
type Offers struct {
	mu  sync.Mutex
	all map[string]offer // by task
}

type offer struct {
	ship  string
	until time.Time
}

// Make records that helm offers a task to a ship.
func (o *Offers) Make(task, ship string, now time.Time) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.all == nil {
		o.all = map[string]offer{}
	}
	o.all[task] = offer{ship, now.Add(Time)}
}

// Free returns the first ready tasks that were not just offered to another ship, at most as many as one message
// names.
func (o *Offers) Free(ready iter.Seq[string], ship string, now time.Time) []string {
	o.mu.Lock()
	defer o.mu.Unlock()
	var free []string
	for id := range ready {
		if made, ok := o.all[id]; !ok || made.ship == ship || now.After(made.until) {
			if free = append(free, id); len(free) == kind.MostTold {
				break
			}
		}
	}
	return free
}

// Claimed ends the offer of a task that a ship has claimed, and the other offers to that ship.
func (o *Offers) Claimed(task, ship string) {
	o.mu.Lock()
	delete(o.all, task)
	o.mu.Unlock()
	o.Withdraw(ship)
}

// Withdraw ends the offers to a ship that will not accept them, and reports whether there were any.
func (o *Offers) Withdraw(ship string) (some bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for id, made := range o.all {
		if made.ship == ship {
			delete(o.all, id)
			some = true
		}
	}
	return some
}
