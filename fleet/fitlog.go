package fleet

import "time"

// Kinds of the lines that helm writes to a ship's log while it provisions the ship. A line with a Journal came from
// the ship, and so is none of these.
const (
	KindProvision = "provision"
	KindUnfit     = "provision.failed" // a step has failed
)

// FitStep is the data of a log line about a step of provisioning.
type FitStep struct {
	Build int           `json:"build"`          // the number of the ship's machine, from 1
	Step  string        `json:"step,omitempty"` // "" for the provisioning as a whole
	State string        `json:"state"`          // start, done, failed, note, retry or output
	Took  time.Duration `json:"took,omitempty"` // how long the step took or, for a retry, how long helm waits before it
}

// IsProvisioning reports whether the line is about the provisioning of its ship.
func (l *LogLine) IsProvisioning() bool {
	return l.Journal == "" && (l.Kind == KindProvision || l.Kind == KindUnfit)
}
