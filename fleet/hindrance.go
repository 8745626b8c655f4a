package fleet

import "time"

// Hindrance is what keeps helm from something that it tries again and again, and since when. Its zero value is none.
type Hindrance struct {
	Why   string    `json:"why"`
	Since time.Time `json:"since"`
	// Changed says that it is a file of the voyage's Orders that was changed: it is over when the captain agrees to that.
	Changed bool `json:"changed,omitempty"`
}

// IsNone reports whether there is nothing.
func (h Hindrance) IsNone() bool { return h.Why == "" }

// Set takes down what hinders now, "" for nothing. As long as something does, since when it was so stays.
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
