package fleet

import "time"

// Word is a ship's status as one word.
type Word string

// The words, in the order in which Resolve prefers them: the first that applies.
const (
	Unreachable Word = "unreachable"
	Provision   Word = "provisioning"
	Leaving     Word = "sinking" // its machine is being destroyed
	Exited      Word = "exited"
	Errored     Word = "error"
	Limited     Word = "limited"
	Waiting     Word = "waiting"
	Working     Word = "working"
	Stalled     Word = "stalled"
	Idle        Word = "idle"
	Done        Word = "done"
	Unknown     Word = "unknown" // helm has heard nothing of it yet
)

// Status is what is known of a ship. It contains no guesses.
type Status struct {
	Word   Word      `json:"word"`
	Reason string    `json:"reason,omitempty"` // why it waits, what failed, or what it does apart from its task
	Since  time.Time `json:"since,omitzero"`   // when this status began
	SeenAt time.Time `json:"seenAt,omitzero"`  // the time of the newest sign of this status
	Source string    `json:"source,omitempty"` // where the sign came from: provision, link, runner, agent or tasks
	// Need says in what way the ship needs the captain, "" when it does not. It may yet recover by itself: see package need.
	Need NeedKind `json:"need,omitempty"`
}

// StallAfter is how long a ship that should work may be silent before it counts as stalled.
const StallAfter = 15 * time.Minute

// Needing returns the status with a need added.
func (s Status) Needing(k NeedKind) Status {
	s.Need = k
	return s
}
