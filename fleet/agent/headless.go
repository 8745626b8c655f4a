package agent

import "time"

// Headless says how a program does one bounded piece of work without a terminal.
type Headless struct {
	// Plan returns the command that makes a plan; it reads from standard input what to plan.
	Plan func(Planning) []string

	// Probe returns a command that takes one turn without tools, to check that login and service work.
	Probe func(Setup) Command

	// Read decodes one line of the output of Plan or Probe. It returns the zero Told for a line of no interest.
	Read func(line []byte) Told
}

// Planning holds the settings of a run that makes a plan.
type Planning struct {
	Program string // path of the agent's binary
	Draft   string // absolute path of the directory for the plan, the only directory that the run may change
	Model   string // "" for the program's own choice
	Session string // id of the session to continue, "" for a new one
	Turns   int    // the maximum number of turns
}

// Told is what a line of a headless run's output says.
type Told struct {
	Session string
	Uses    []Use  // tools that the agent calls
	Text    string // what the agent says
	Retry   *Retry // set when the service failed
	End     *End   // set on the last event
}

// Retry is a failure of the service, after which the program repeats its request.
type Retry struct {
	Failure End
	In      time.Duration // the pause before the request is repeated
	N, Of   int           // the number of this repetition, and how many there may be
}

// Final reports whether a repetition is useless, since the service refuses the login.
func (r Retry) Final() bool { return r.Failure.Status == 401 || r.Failure.Status == 403 }

// Use is a call of a tool.
type Use struct {
	Tool string
	On   string // the file, the pattern or another main argument, "" for none
}

// End is how a headless run ended.
type End struct {
	Failed   bool
	TurnsOut bool    // the limit on its turns ended it
	Status   int     // the HTTP status of the service's error; 0 for none
	Text     string  // last words: the answer, or what went wrong
	Cost     float64 // of the session so far, in US dollars
}
