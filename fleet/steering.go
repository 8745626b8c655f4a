package fleet

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"ocaptain/sync"
	"ocaptain/tasks"
)

// What happens to work that changes files which steer agents: the values of [Guards.Steering].
const (
	SteeringFlag = "flag" // it is merged and marked; "" means the same
	SteeringAsk  = "ask"  // it is merged once the captain approves it
	SteeringDeny = "deny" // it is never merged, so no branch has it and it is never pushed
)

// What became of work that changes files which steer agents: the values of [Steering.Word].
const (
	Flagged  = "flagged"
	Waits    = "waits" // the captain has to decide
	Approved = "approved"
	Rejected = "rejected"
)

// Steering is work of a claim that changes files which steer agents, and what became of it. Its paths are cleaned for
// display; some are left out when there are many.
type Steering struct {
	sync.Steering
	More  int       `json:"more,omitempty"` // the number of paths left out
	Task  string    `json:"task"`
	Ship  string    `json:"ship"`
	Epoch uint64    `json:"epoch"`
	Word  string    `json:"word"`
	Why   string    `json:"why,omitempty"` // the captain's reason for rejecting it
	At    time.Time `json:"at"`
}

// IsAbout reports whether s is about the current claim of the task.
func (s *Steering) IsAbout(t *tasks.State) bool {
	return s.Task == t.ID && s.Ship == t.Owner && s.Epoch == t.Epoch
}

// FilesText names the first of the files, and says how many more there are.
func (s *Steering) FilesText() string { return firstFew(s.Paths, s.More) }

// firstFew names the first of paths and counts the rest; left is the number of further files that paths leaves out.
func firstFew(paths []string, left int) string {
	const most = 3
	text := strings.Join(paths[:min(len(paths), most)], ", ")
	if more := len(paths) + left - most; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// SteeringOf returns the steering of a task's work, or nil.
func (b *Board) SteeringOf(task string) *Steering {
	if i := slices.IndexFunc(b.Steering, func(s Steering) bool { return s.Task == task }); i >= 0 {
		return &b.Steering[i]
	}
	return nil
}
