package kind

import (
	"fmt"
	"time"

	"ocaptain/fleet"
	"ocaptain/tasks"
)

// View is what ships need to know of the tasks at one moment, worked out once for all of them.
type View struct {
	Seq  uint64 // of the snapshot
	Done bool   // nothing is left to do

	open []*tasks.State            // the most urgent first
	held map[string]*tasks.State   // by owner
	role func(*tasks.State) string // of ships that may claim a task, "" for none; nil when any may
	full bool                      // no worker begins anything new
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

// NewRoleView is NewView where each task is for the ships of one role.
func NewRoleView(all tasks.Snapshot, done bool, open []*tasks.State, role func(*tasks.State) string) *View {
	v := NewView(all, done, open)
	v.role = role
	return v
}

// NoneNew has no worker begin anything new, as too much waits for review.
func (v *View) NoneNew() { v.full = true }

// begins reports whether a claim of a task is the beginning of work on it.
func (v *View) begins(t *tasks.State) bool {
	return v.role(t) == fleet.Worker && t.Attempts == 0 && t.ReservedFor == ""
}

// RoleOf is the role of ships that a task is for, "" for none, or where any ship may claim any task.
func (v *View) RoleOf(t *tasks.State) string {
	if v.role == nil {
		return ""
	}
	return v.role(t)
}

// IsFor reports whether a task is for ships of a role.
func (v *View) IsFor(role string, t *tasks.State) bool { return v.role == nil || v.role(t) == role }

// Allow says why a ship of a role may not claim a task, nil when it may as far as roles go.
func (v *View) Allow(role string, t *tasks.State) error {
	switch is := v.RoleOf(t); {
	case v.role == nil:
		return nil
	case is == role && v.full && v.begins(t):
		return fmt.Errorf("task %s is not begun for now: too much waits for review", t.ID)
	case is == role:
		return nil
	case is == "" && t.InReview():
		return fmt.Errorf("task %s is not for ships now: what was handed in is being checked or merged", t.ID)
	case is == "":
		return fmt.Errorf("task %s is not for ships: it is done when its parts are", t.ID)
	default:
		return WrongRole(t, is, role)
	}
}

// WrongRole tells a ship of a role that a task is for ships of another.
func WrongRole(t *tasks.State, its, role string) error {
	return fmt.Errorf("task %s is for a %s, and you are a %s", t.ID, its, role)
}

// mostSuggested is how many tasks a refusal names that could be claimed instead.
const mostSuggested = 10

// Suggest has a refusal name tasks for ships of the role. Where any ship may claim any task it names the right ones.
func (v *View) Suggest(no *tasks.Refusal, ship, role string, now time.Time) {
	if v.role == nil {
		return
	}
	ready, _ := v.Ready(ship, role, now)
	no.Ready = ready[:min(len(ready), mostSuggested)]
}

// Best is the task that a ship gets that asks for any. It is "" where any ship may claim any task: the store knows the best then.
func (v *View) Best(ship, role string, now time.Time) (string, error) {
	if v.role == nil {
		return "", nil
	}
	ready, _ := v.Ready(ship, role, now)
	if len(ready) == 0 {
		return "", &tasks.Refusal{Why: tasks.NothingReady}
	}
	return ready[0], nil
}

// Held returns the task that a ship works on, or nil.
func (v *View) Held(ship string) *tasks.State { return v.held[ship] }

// Ready lists the tasks that a ship of a role may claim now, the most urgent first, and says how long the shortest delay of
// another one still lasts.
func (v *View) Ready(ship, role string, now time.Time) (ids []string, again time.Duration) {
	again = time.Hour
	for _, t := range v.open {
		if t.ReservedFor != "" && t.ReservedFor != ship || v.role != nil && v.role(t) != role || v.full && v.begins(t) {
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
