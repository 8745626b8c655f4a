package agent

import "time"

// Headless is how a program does one bounded piece of work without a terminal.
type Headless struct {
	// Plan is the command that makes a plan; what to plan comes on its standard input.
	Plan func(Planning) []string

	// Probe is a command of one turn without tools that proves that login and service work.
	Probe func(Setup) Command

	// Read understands one line of what either prints. A line that says nothing of
	// interest is the zero Told.
	Read func(line []byte) Told
}

// Planning is what a run that makes a plan depends on.
type Planning struct {
	Program string // path of the agent's binary
	Draft   string // absolute path of the directory that the plan is written to, the only directory that may change
	Model   string // "" for the program's own choice
	Session string // id of the session to go on with, "" for a new one
	Turns   int    // after how many the run is ended
}

// Told is something that a headless run has told.
type Told struct {
	Session string
	Uses    []Use  // tools that the agent calls
	Text    string // what it says
	Retry   *Retry // the service did not answer
	End     *End   // set by the last event
}

// Retry is a failure of the service after which the program asks it again.
type Retry struct {
	Failure End
	In      time.Duration // after which it asks again
	N, Of   int           // how often it has asked again then, and how often it does
}

// Final reports whether asking again is in vain: the service knows the login and refuses it.
func (r Retry) Final() bool { return r.Failure.Status == 401 || r.Failure.Status == 403 }

// Use is a call of a tool.
type Use struct {
	Tool string
	On   string // the file, the pattern or the like, "" for nothing of the sort
}

// End is how a headless run ended.
type End struct {
	Failed   bool
	TurnsOut bool    // the bound on its turns ended it
	Status   int     // of HTTP, when the service refused; 0 for none
	Text     string  // last words: the answer, or what went wrong
	Cost     float64 // of the session so far, in US dollars
}
