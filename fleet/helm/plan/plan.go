// Package plan decides, without doing any of it, what goes on in a voyage whose tasks are made before it sails: what ships may claim,
// what their work becomes, what they are told, and when the voyage is verified and over.
package plan

import (
	"slices"
	"time"

	"ocaptain/tasks"
)

// Plan is a voyage of this kind, as far as decisions depend on it.
type Plan struct {
	Voyage string // its id
	Fixes  int    // how many tasks may be added because verify.sh failed
}

// View is what ships need to know of the tasks at one moment, worked out once for all of them.
type View struct {
	Seq  uint64 // of the snapshot
	Done bool   // every task is completed

	open []*tasks.State          // pending, with no blocker and not on hold, the most urgent first
	held map[string]*tasks.State // by owner
}

// Look works out what there is to do.
func (p Plan) Look(all tasks.Snapshot) *View {
	v := &View{Seq: all.Seq, Done: p.IsDone(all), held: map[string]*tasks.State{}}
	for _, t := range all.Tasks {
		switch {
		case t.Status == tasks.InProgress && v.held[t.Owner] == nil:
			v.held[t.Owner] = t
		case t.Status == tasks.Pending && !t.OnHold && !t.Internal() && len(all.Blockers(t)) == 0:
			v.open = append(v.open, t)
		}
	}
	slices.SortStableFunc(v.open, func(a, b *tasks.State) int { return a.Priority() - b.Priority() })
	return v
}

// Held returns the task that a ship works on, or nil.
func (v *View) Held(ship string) *tasks.State { return v.held[ship] }

// Ready lists the tasks that a ship may claim now, the most urgent first, and says how long the shortest delay of
// another one still lasts.
func (v *View) Ready(ship string, now time.Time) (ids []string, again time.Duration) {
	again = time.Hour
	for _, t := range v.open {
		if t.ReservedFor != "" && t.ReservedFor != ship {
			continue
		}
		if wait := t.RemainingDelay(now); wait > 0 {
			again = min(again, wait)
			continue
		}
		ids = append(ids, t.ID)
	}
	return ids, again
}

// IsDone reports whether every task is completed. A voyage without tasks is never done.
func (Plan) IsDone(all tasks.Snapshot) bool {
	n := 0
	for _, t := range all.Tasks {
		if t.Internal() {
			continue
		}
		if t.Status != tasks.Completed {
			return false
		}
		n++
	}
	return n > 0
}
