package facts

import (
	"time"

	"ocaptain/tasks"
)

// Holdings record which task each ship held at which time.
type Holdings struct {
	ships map[string][]holding // by ship, the oldest first
	now   map[string]string    // by task, the ship that holds it
}

// holding is a time during which a ship held a task.
type holding struct {
	task     string
	from, to time.Time // to is zero while the ship holds the task
}

// maxHoldings bounds the remembered holdings of a ship. While an export is on its way, an agent cannot claim as many tasks.
const maxHoldings = 1000

// Add records an event of a task. Events come in the order of the journal.
func (h *Holdings) Add(e tasks.Event) {
	switch e.Kind {
	case tasks.Claimed:
		h.end(e.Task, e.At)
		set(&h.now, e.Task, e.Owner)
		all := append(h.ships[e.Owner], holding{task: e.Task, from: e.At})
		set(&h.ships, e.Owner, all[max(0, len(all)-maxHoldings):])
	case "completed", "cancelled", "requeued", "handed-in", "approved":
		h.end(e.Task, e.At)
	}
}

func (h *Holdings) end(task string, at time.Time) {
	ship, ok := h.now[task]
	if !ok {
		return
	}
	delete(h.now, task)
	all := h.ships[ship]
	for i := len(all) - 1; i >= 0; i-- {
		if all[i].task == task && all[i].to.IsZero() {
			all[i].to = at
			return
		}
	}
}

// At returns the task that a ship held at that time, "" for none.
func (h *Holdings) At(ship string, at time.Time) string {
	all := h.ships[ship]
	for i := len(all) - 1; i >= 0; i-- {
		if !at.Before(all[i].from) && (all[i].to.IsZero() || at.Before(all[i].to)) {
			return all[i].task
		}
	}
	return ""
}
