package shipdir

// Methods of the ship's socket for hooks, commands and the runner. Serve passes other methods on to helm (claim,
// complete, release, wait).
const (
	MethodHeld   = "held"   // HeldRequest → Held
	MethodHeard  = "heard"  // Heard → nothing: the agent has got a prompt
	MethodNext   = "next"   // the id of a task that is ready → Next
	MethodRetire = "retire" // nothing → nothing: a newer serve takes over
)

// HeldRequest asks whether this ship holds a task, or for all tasks that it holds if Task is "".
type HeldRequest struct {
	Task    string `json:"task,omitempty"`
	Summary string `json:"summary,omitempty"` // for the commit message, if the task is completed next
}

// Held says whether this ship holds a task, according to helm's last news.
type Held struct {
	Mine  bool     `json:"mine"`
	Tasks []string `json:"tasks,omitempty"` // ids of all tasks that this ship holds
}

// Next says whether the agent has to end, so that the task gets a new conversation.
type Next struct {
	Ends bool `json:"ends"`
}

// Heard identifies a prompt that the agent has got.
type Heard struct {
	Sum     string `json:"sum"` // the gist of the text
	Altered bool   `json:"altered,omitempty"`
}
