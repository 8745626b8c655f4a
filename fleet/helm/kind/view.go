package kind

import (
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"ocaptain/fleet"
	"ocaptain/tasks"
)

// View is what ships need to know of the tasks of one snapshot. It is computed once for all ships.
type View struct {
	Seq  uint64 // of the snapshot
	Done bool   // nothing is left to do

	all  tasks.Snapshot
	open map[string]*choice        // by role of the ships; the key is "" when any ship may claim any task
	role func(*tasks.State) string // returns the role of the ships that may claim a task, "" for none; nil when any ship may claim any task
	full bool                      // workers may begin nothing new
	some bool                      // some open tasks are restricted to certain ships
}

// choice is what the ships of a role may claim.
type choice struct {
	open []*tasks.State // the most urgent first
	late []*tasks.State // those tasks in open that may have a delay
}

// NewView returns the view of a snapshot in which any ship may claim any of the open tasks. open is sorted, the most
// urgent first.
func NewView(all tasks.Snapshot, done bool, open []*tasks.State) *View {
	return NewRoleView(all, done, open, nil)
}

// NewRoleView is NewView for tasks that only ships of one role may claim.
func NewRoleView(all tasks.Snapshot, done bool, open []*tasks.State, role func(*tasks.State) string) *View {
	v := &View{Seq: all.Seq, Done: done, all: all, open: map[string]*choice{}, role: role}
	for _, t := range open {
		is := v.RoleOf(t)
		v.some = v.some || isChoosy(t)
		c := v.open[is]
		if c == nil {
			c = &choice{}
			v.open[is] = c
		}
		if c.open = append(c.open, t); !t.NotBefore.IsZero() {
			c.late = append(c.late, t)
		}
	}
	return v
}

// NoneNew makes the view let workers begin nothing new, since too much work waits for review.
func (v *View) NoneNew() {
	v.full = true
	if c := v.open[fleet.Worker]; c != nil {
		c.open, c.late = slices.DeleteFunc(c.open, v.begins), slices.DeleteFunc(c.late, v.begins)
	}
}

// begins reports whether the claim of a task would begin new work.
func (v *View) begins(t *tasks.State) bool {
	return v.role(t) == fleet.Worker && t.Attempts == 0 && t.ReservedFor == ""
}

// RoleOf returns the role of the ships that may claim a task, "" for none, or if any ship may claim any task.
func (v *View) RoleOf(t *tasks.State) string {
	if v.role == nil {
		return ""
	}
	return v.role(t)
}

// IsFor reports whether a ship's role may claim a task.
func (v *View) IsFor(s Ship, t *tasks.State) bool {
	return (v.role == nil || v.role(t) == s.Role) && (!isChoosy(t) || chooses(t, s))
}

// Allow returns an error that says why a ship may not claim a task, nil when it may. It checks only roles and the
// captain's choice of ships.
func (v *View) Allow(s Ship, t *tasks.State) error {
	switch is := v.RoleOf(t); {
	case isChoosy(t) && !chooses(t, s) && t.OnlyShip() != "":
		return fmt.Errorf("task %s is for %s: the captain wants it so", t.ID, t.OnlyShip())
	case isChoosy(t) && !chooses(t, s):
		return fmt.Errorf("task %s is for %s: the captain wants it so", t.ID, choiceText(t))
	case v.role == nil:
		return nil
	case is == s.Role && v.full && v.begins(t):
		return fmt.Errorf("task %s is not begun for now: too much waits for review", t.ID)
	case is == s.Role:
		return nil
	case is == "" && t.InReview():
		return fmt.Errorf("task %s is not for ships now: what was handed in is being checked or merged", t.ID)
	case is == "":
		return fmt.Errorf("task %s is not for ships: it is done when its parts are", t.ID)
	default:
		return WrongRole(t, is, s.Role)
	}
}

// WrongRole returns the error for a ship of role role that claims a task for ships of role its.
func WrongRole(t *tasks.State, its, role string) error {
	return fmt.Errorf("task %s is for a %s, and you are a %s", t.ID, its, role)
}

// MostTold is how many ready tasks a message to an agent names.
const MostTold = 10

// Suggest makes a refusal name ready tasks for the ship. It does nothing if any ship may claim any task, since the
// refusal then names the right ones already.
func (v *View) Suggest(no *tasks.Refusal, s Ship, now time.Time) {
	if v.isFree() {
		return
	}
	no.Ready = nil
	for id := range v.Ready(s, now) {
		if no.Ready = append(no.Ready, id); len(no.Ready) == MostTold {
			return
		}
	}
}

// Best returns the task for a ship that asks for any. It returns "" if any ship may claim any task, since the store knows the
// best one.
func (v *View) Best(s Ship, now time.Time) (string, error) {
	if v.isFree() {
		return "", nil
	}
	id := v.First(s, now)
	if v.role == nil { // the store decides
		for reserved := range v.Ready(s, now) {
			if v.all.Task(reserved).ReservedFor == s.Name {
				id = reserved
				break
			}
		}
	}
	if id == "" {
		return "", &tasks.Refusal{Why: tasks.NothingReady}
	}
	return id, nil
}

// isFree reports whether any ship may claim any task.
func (v *View) isFree() bool { return v.role == nil && !v.some }

// Held returns the task that a ship works on, or nil.
func (v *View) Held(ship string) *tasks.State { return v.all.Held(ship) }

// Ready yields the tasks that a ship may claim now, the most urgent first. It works lazily, so a caller that stops early saves
// time.
func (v *View) Ready(s Ship, now time.Time) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, t := range v.choice(s.Role).open {
			if isFor(t, s) && t.RemainingDelay(now) == 0 && !yield(t.ID) {
				return
			}
		}
	}
}

// First returns the first task that Ready yields, "" for none.
func (v *View) First(s Ship, now time.Time) string {
	for id := range v.Ready(s, now) {
		return id
	}
	return ""
}

// Again returns how long until a ship may claim the next delayed task, at most an hour.
func (v *View) Again(s Ship, now time.Time) time.Duration {
	again := time.Hour
	for _, t := range v.choice(s.Role).late {
		if wait := t.RemainingDelay(now); wait > 0 && isFor(t, s) {
			again = min(again, wait)
		}
	}
	return again
}

// choice returns what ships of a role may claim.
func (v *View) choice(role string) choice {
	if v.role == nil {
		role = ""
	}
	if c := v.open[role]; c != nil {
		return *c
	}
	return choice{}
}

func isFor(t *tasks.State, s Ship) bool {
	return (t.ReservedFor == "" || t.ReservedFor == s.Name) && (!isChoosy(t) || chooses(t, s))
}

// isChoosy reports whether the captain has restricted who may do a task. The restriction does not apply to its
// review.
func isChoosy(t *tasks.State) bool {
	return (t.OnlyShip() != "" || t.OnlyAgent() != "" || t.OnlyModel() != "") && !t.InReview()
}

// chooses reports whether a ship satisfies the captain's restriction of a task.
func chooses(t *tasks.State, s Ship) bool {
	return (t.OnlyShip() == "" || t.OnlyShip() == s.Name) && (t.OnlyAgent() == "" || t.OnlyAgent() == s.Agent) &&
		(t.OnlyModel() == "" || t.OnlyModel() == s.Model)
}

// choiceText names the agent and the model to which the captain has restricted a task.
func choiceText(t *tasks.State) string {
	var all []string
	if t.OnlyAgent() != "" {
		all = append(all, "agent "+t.OnlyAgent())
	}
	if t.OnlyModel() != "" {
		all = append(all, "model "+t.OnlyModel())
	}
	return strings.Join(all, " with ")
}
