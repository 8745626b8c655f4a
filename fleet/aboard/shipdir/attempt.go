package shipdir

import "time"

// Attempt is the file that tells of a message that is being typed. After a crash it
// says whether the message may have arrived.
type Attempt struct {
	ID    string  `json:"id"`
	Sum   string  `json:"sum"`
	Text  string  `json:"text"`  // for the hook to compare
	From  int64   `json:"from"`  // journal offset before it was typed
	Agent Process `json:"agent"` // that it was typed to
	// Pasted says that it was pasted; Enter when Enter was first pressed, with it in the
	// input line and nothing else.
	Pasted bool      `json:"pasted,omitempty"`
	Enter  time.Time `json:"enter,omitzero"`
}
