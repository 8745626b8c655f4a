package fleet

import "time"

// Word is a ship's status in one word.
type Word string

// The words, in the order in which Resolve prefers them.
const (
	Unreachable Word = "unreachable"
	Provision   Word = "provisioning"
	Leaving     Word = "sinking" // it is being destroyed
	Exited      Word = "exited"
	Errored     Word = "error"
	Limited     Word = "limited"
	Waiting     Word = "waiting"
	Working     Word = "working"
	Stalled     Word = "stalled"
	Idle        Word = "idle"
	Done        Word = "done"
	Unknown     Word = "unknown" // nothing was heard yet
)

// Status is what is known of a ship, never guessed.
type Status struct {
	Word   Word      `json:"word"`
	Reason string    `json:"reason,omitempty"` // why it waits, what it does beside the task that it holds, what failed
	Since  time.Time `json:"since,omitzero"`   // when it became so
	SeenAt time.Time `json:"seenAt,omitzero"`  // the newest sign that says so
	Source string    `json:"source,omitempty"` // provision, link, runner, agent or tasks
	// Need says in what way it does not go on without the captain, "" when it does. It may yet mend itself: see package need.
	Need NeedKind `json:"need,omitempty"`
}

// StallAfter is the silence after which a ship that should work is called stalled.
const StallAfter = 15 * time.Minute

// Needing is the status of a ship that does not go on without the captain.
func (s Status) Needing(k NeedKind) Status {
	s.Need = k
	return s
}
