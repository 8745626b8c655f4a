package aboard

// What hooks, commands and the runner ask of serve over the ship's socket, beside
// the calls that it passes on to helm (claim, complete, release, wait).
const (
	methodHeld   = "held"   // heldRequest → held
	methodHeard  = "heard"  // heard → nothing: the agent got a message
	methodRetire = "retire" // nothing → nothing: a newer serve takes over
)

// heldRequest asks about one task, or about what this ship holds when it is "".
type heldRequest struct {
	Task    string `json:"task,omitempty"`
	Summary string `json:"summary,omitempty"` // for the commit, should the task be completed next
}

// held says who holds a task, as helm last told.
type held struct {
	Known bool     `json:"known"`           // there is such a task
	Mine  bool     `json:"mine"`            // this ship holds it
	Done  bool     `json:"done,omitempty"`  // it is completed
	Owner string   `json:"owner,omitempty"` // who holds it
	Tasks []string `json:"tasks,omitempty"` // ids of all that this ship holds
}

// heard tells what the agent was told.
type heard struct {
	Sum     string `json:"sum"` // the gist of the text
	Altered bool   `json:"altered,omitempty"`
}
