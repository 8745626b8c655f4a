package fleet

// Kind is the kind of a voyage: where its work comes from and what happens to the results. A package of fleet/helm decides what goes on in a
// voyage of each kind. Commands, needs and screens ask the methods of Kind.
type Kind string

// The kinds of voyages.
const (
	// Plan is a voyage whose tasks come with its plan.
	Plan Kind = ""

	// Session is a voyage that begins with a request of the captain, which a planner decomposes into tasks.
	Session Kind = "session"

	// Pool is a voyage of long-lived workers that each get one dispatch after another.
	Pool Kind = "pool"
)

// TakesEpics reports whether the captain says what he wants in epics. A planner breaks each down into a tree of tasks, and agents of each
// role get a limited number of turns for a task.
func (k Kind) TakesEpics() bool { return k == Session }

// TakesDispatches reports whether work comes in dispatches: the captain's commands, each for one free worker. The work on each goes to a branch
// of its own, and a failed dispatch hinders no other.
func (k Kind) TakesDispatches() bool { return k == Pool }
