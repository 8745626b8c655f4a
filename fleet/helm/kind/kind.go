// Package kind says what helm asks of a kind of voyage. A kind decides and does nothing: its methods depend on their arguments
// alone, take no lock and wait for nothing. Helm carries out what it decides.
package kind

import (
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/proto"
	"ocaptain/sync"
	"ocaptain/tasks"
)

// Kind decides what goes on in one voyage.
type Kind interface {
	// Look works out what ships may claim.
	Look(all tasks.Snapshot) *View

	// IsDone reports whether nothing is left to do for ships.
	IsDone(all tasks.Snapshot) bool

	// Gives reports whether ships are given their tasks. Else they claim by themselves. The turn in which an agent hears of
	// a task that it was given is the work on it: the end of the turn completes the task.
	Gives() bool

	// Give says which tasks are to be reserved for which of the ships that are free, in the order of the tasks. Helm has a
	// ship claim what is reserved for it, and tells its agent.
	Give(now time.Time, all tasks.Snapshot, free []Ship) []Gift

	// Tell is what the agent hears about a task that its ship was given.
	Tell(t *tasks.State) string

	// Base is the commit at which work on a task begins, "" for the newest of the voyage's branch. What a ship reviews begins
	// elsewhere.
	Base(t *tasks.State) string

	// Merge describes the commit that a ship's work on a task becomes. Who merges adds what is checked.
	Merge(t *tasks.State, ship, summary string) sync.Merge

	// Folder is that of the branches to which works go, each to one of its own, "" when all go to the voyage's branch.
	Folder() string

	// Tries is after how many failures a task is put on hold.
	Tries() int

	// Next decides what follows from the tasks, and from a run of verify.sh that has just ended, nil for none.
	Next(phase fleet.Phase, all tasks.Snapshot, r *Result) Step

	// Closed says why no task is handed out in a phase, nil when tasks are.
	Closed(phase fleet.Phase) error

	// Over says why ships have nothing more to do in a phase, "" when they may have.
	Over(phase fleet.Phase) string

	// Done decides what becomes of a task when a ship of a role says that it is done. The error says what the ship has to do
	// first.
	Done(all tasks.Snapshot, t *tasks.State, role string) (Outcome, error)

	// Parents lists the tasks that consist of others. Helm itself holds them, and completes them.
	Parents(all tasks.Snapshot) []Parent

	// Plans is how often the ship that holds a task may try to break it down into others, before the captain is asked; 0 when it
	// may not.
	Plans(t *tasks.State) int

	// Crew says what the next ship is called, which has that number, and its role. Numbers begin at First; roles are those of the
	// ships that there are.
	Crew(number int, roles []string) (name, role string)
	First() int

	// Offer tells an agent that waits of tasks that are ready, best first.
	Offer(ready []string) proto.Verdict
}

// Outcome is what becomes of a task that a ship says is done.
type Outcome int

// The outcomes.
const (
	Merge  Outcome = iota // the work is merged
	HandIn                // the work is handed in: it is reviewed before it is merged
	Open                  // there is nothing to merge, and others go on with the task
)

// Ship is a ship that may claim a task, or be given a task.
type Ship struct {
	Name     string
	Provider string // where it comes from
	Role     string
	Agent    string
	Model    string // that its agent is asked to use, "" for the agent's own choice
}

// ShipOf is a ship of a voyage.
func ShipOf(v *fleet.Voyage, f *fleet.Ship) Ship {
	return Ship{Name: f.Name, Provider: f.Provider, Role: f.Role, Agent: f.Agent, Model: v.ModelOf(f)}
}

// Gift is a task that a ship is given.
type Gift struct {
	Task string
	Ship string
}

// Parent is a task that consists of others.
type Parent struct {
	Task *tasks.State
	Done bool // nothing is left to do of it
}

// Result is what came of a run of verify.sh.
type Result struct {
	fleet.Verify        // with the fixes that there were before
	Head         string // of the branch, once it had run
	Asked        bool   // by the captain, whatever the phase
}

// Step is what follows.
type Step struct {
	Phase fleet.Phase // the one before, when nothing changes
	Fix   *tasks.Task // that is to be added, nil for none
}

// IsClosed is the usual answer of Closed: tasks are handed out while ships are fitted out and while the voyage sails.
func IsClosed(phase fleet.Phase) error {
	if phase == fleet.Sailing || phase == fleet.Fitting {
		return nil
	}
	return &closed{phase}
}

type closed struct{ phase fleet.Phase }

func (c *closed) Error() string { return "no task can be claimed: the voyage is " + string(c.phase) }
