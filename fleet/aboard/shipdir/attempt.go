package shipdir

import "time"

// Attempt is the file about a message that is being typed. After a crash it shows whether the message may have
// arrived.
type Attempt struct {
	ID    string  `json:"id"`
	Sum   string  `json:"sum"`
	Text  string  `json:"text"`  // for the hook to compare with the prompt
	From  int64   `json:"from"`  // the offset in the journal before the typing began
	Agent Process `json:"agent"` // the agent that the message was typed to
	// Pasted says that the text was pasted. Enter is when Enter was first pressed with only this text in the input line.
	Pasted bool      `json:"pasted,omitempty"`
	Enter  time.Time `json:"enter,omitzero"`
}
