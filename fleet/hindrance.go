package fleet

import "time"

// Hindrance says why something fails that helm tries again and again, and since when. The zero value means that
// nothing fails.
type Hindrance struct {
	Why   string    `json:"why"`
	Since time.Time `json:"since"`
	// Changed says that a file of the voyage's Orders was changed. The hindrance ends when the captain agrees to the
	// change.
	Changed bool `json:"changed,omitempty"`
}

// IsNone reports whether h is no hindrance.
func (h Hindrance) IsNone() bool { return h.Why == "" }

// Set records why helm is hindered now, "" when it is not. The time since when stays while the hindrance lasts, even
// if its reason changes.
func (h *Hindrance) Set(now time.Time, why string) {
	switch {
	case why == "":
		*h = Hindrance{}
	case h.IsNone():
		*h = Hindrance{Why: why, Since: now}
	default:
		h.Why = why
	}
}
