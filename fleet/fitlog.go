package fleet

import "time"

// The kinds of lines of a ship's log that helm writes while it fits the ship out. No line with a
// Journal is one of them: that came from the ship.
const (
	KindProvision = "provision"
	KindUnfit     = "provision.failed" // a step that failed
)

// FitStep is the data of such a line.
type FitStep struct {
	Build int           `json:"build"`          // which of the ship's machines it is, from 1
	Step  string        `json:"step,omitempty"` // "" for the fitting out as a whole
	State string        `json:"state"`          // start, done, failed, note, retry or output
	Took  time.Duration `json:"took,omitempty"` // of a retry, how long until then
}

// IsProvisioning reports whether a line tells how its ship was fitted out.
func (l *LogLine) IsProvisioning() bool {
	return l.Journal == "" && (l.Kind == KindProvision || l.Kind == KindUnfit)
}
