package fleet

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"ocaptain/sync"
	"ocaptain/tasks"
)

// What is done with work that changes files which steer agents: the values of [Guards.Steering].
const (
	SteeringFlag = "flag" // it comes home and is marked; "" is the same
	SteeringAsk  = "ask"  // it comes home once the captain approves it
	SteeringDeny = "deny" // it never comes home: no branch has it, so it is not pushed either
)

// What became of such work: the values of [Steering.Word].
const (
	Flagged  = "flagged"
	Waits    = "waits" // for the captain
	Approved = "approved"
	Rejected = "rejected"
)

// Steering is work of a claim that changes files which steer agents, and what became of it. The paths are fit to be shown,
// and not all when there are many.
type Steering struct {
	sync.Steering
	More  int       `json:"more,omitempty"` // paths that are left out
	Task  string    `json:"task"`
	Ship  string    `json:"ship"`
	Epoch uint64    `json:"epoch"`
	Word  string    `json:"word"`
	Why   string    `json:"why,omitempty"` // the captain rejected it
	At    time.Time `json:"at"`
}

// IsAbout reports whether it is about the claim that the task shows.
func (s *Steering) IsAbout(t *tasks.State) bool {
	return s.Task == t.ID && s.Ship == t.Owner && s.Epoch == t.Epoch
}

// FilesText names the first of the files.
func (s *Steering) FilesText() string { return firstFew(s.Paths, s.More) }

// firstFew names the first files, and counts the rest together with the left that paths leaves out.
func firstFew(paths []string, left int) string {
	const most = 3
	text := strings.Join(paths[:min(len(paths), most)], ", ")
	if more := len(paths) + left - most; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// SteeringOf returns what is known of a task's work that steers agents, or nil.
func (b *Board) SteeringOf(task string) *Steering {
	if i := slices.IndexFunc(b.Steering, func(s Steering) bool { return s.Task == task }); i >= 0 {
		return &b.Steering[i]
	}
	return nil
}
