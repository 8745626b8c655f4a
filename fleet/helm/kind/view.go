package kind

import (
	"time"

	"ocaptain/tasks"
)

// View is what ships need to know of the tasks at one moment, worked out once for all of them.
type View struct {
	Seq  uint64 // of the snapshot
	Done bool   // nothing is left to do

	open []*tasks.State          // the most urgent first
	held map[string]*tasks.State // by owner
}

// NewView is the view of a snapshot in which ships may claim the tasks that are open, the most urgent first.
func NewView(all tasks.Snapshot, done bool, open []*tasks.State) *View {
	v := &View{Seq: all.Seq, Done: done, open: open, held: map[string]*tasks.State{}}
	for _, t := range all.Tasks {
		if t.Status == tasks.InProgress && v.held[t.Owner] == nil {
			v.held[t.Owner] = t
		}
	}
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
