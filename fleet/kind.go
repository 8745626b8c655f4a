package fleet

// Kind is the kind of a voyage: how work comes to it, and what becomes of the work. A package of fleet/helm decides what goes on in a voyage
// of each kind. Commands, needs and screens ask the methods of Kind.
type Kind string

// The kinds.
const (
	// Plan is the kind of a voyage whose tasks come with its plan.
	Plan Kind = ""

	// Session is the kind of a voyage that begins with what the captain asks for, which a planner breaks down into tasks.
	Session Kind = "session"

	// Pool is the kind of a voyage of long-lived workers that each get one dispatch after the other.
	Pool Kind = "pool"
)

// TakesEpics reports whether the captain says what he wants in epics. A planner breaks each down into a tree of tasks, and agents of each
// role get a limited number of turns for a task.
func (k Kind) TakesEpics() bool { return k == Session }

// TakesDispatches reports whether work comes in dispatches: the captain's commands, each for one free worker. Each goes to a branch of its own,
// and a failed dispatch hinders no other.
func (k Kind) TakesDispatches() bool { return k == Pool }
