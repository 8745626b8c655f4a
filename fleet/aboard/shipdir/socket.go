package shipdir

// What hooks, commands and the runner ask of serve over the ship's socket, beside
// the calls that it passes on to helm (claim, complete, release, wait).
const (
	MethodHeld   = "held"   // HeldRequest → Held
	MethodHeard  = "heard"  // Heard → nothing: the agent got a message
	MethodNext   = "next"   // the id of a task that is ready → Next
	MethodRetire = "retire" // nothing → nothing: a newer serve takes over
)

// HeldRequest asks about one task, or about what this ship holds when it is "".
type HeldRequest struct {
	Task    string `json:"task,omitempty"`
	Summary string `json:"summary,omitempty"` // for the commit, should the task be completed next
}

// Held says whether this ship holds a task, as helm last told.
type Held struct {
	Mine  bool     `json:"mine"`
	Tasks []string `json:"tasks,omitempty"` // ids of all that this ship holds
}

// Next says whether the agent ends for a conversation of its own about the task.
type Next struct {
	Ends bool `json:"ends"`
}

// Heard tells what the agent was told.
type Heard struct {
	Sum     string `json:"sum"` // the gist of the text
	Altered bool   `json:"altered,omitempty"`
}
