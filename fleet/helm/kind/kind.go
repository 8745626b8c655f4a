// Package kind defines what helm asks of a kind of voyage. A kind only decides: its methods depend on their arguments alone,
// take no lock and do not wait. Helm acts on the decisions.
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
	// Look returns what ships may claim.
	Look(all tasks.Snapshot) *View

	// IsDone reports whether ships have nothing left to do.
	IsDone(all tasks.Snapshot) bool

	// Gives reports whether helm gives tasks to ships. If not, ships claim tasks by themselves. The turn in which an agent
	// is told of a given task is its work on the task: the end of the turn completes the task.
	Gives() bool

	// Give decides which tasks to reserve for which of the free ships, in the order of the tasks. Helm then claims each
	// task for its ship, and tells the ship's agent.
	Give(now time.Time, all tasks.Snapshot, free []Ship) []Gift

	// Tell returns what to tell the agent about a task that its ship was given.
	Tell(t *tasks.State) string

	// Base returns the commit at which work on a task begins, "" for the newest commit of the voyage's branch. It is not used
	// for reviews.
	Base(t *tasks.State) string

	// Merge returns the merge for a ship's work on a task. Whoever merges adds the checks.
	Merge(t *tasks.State, ship, summary string) sync.Merge

	// Folder returns the first part of the branches' names if each task's work goes to a branch of its own, "" if all
	// goes to the voyage's branch.
	Folder() string

	// Tries returns how many failures put a task on hold.
	Tries() int

	// Next decides what follows from the tasks. r is the result of verify.sh if that has just ended, else nil.
	Next(phase fleet.Phase, all tasks.Snapshot, r *Result) Step

	// Closed returns an error that says why no task is handed out in a phase, nil when tasks are.
	Closed(phase fleet.Phase) error

	// Over says why ships have nothing left to do in a phase, "" when they may have.
	Over(phase fleet.Phase) string

	// Done decides what happens to a task when a ship of that role says that it is done. The error says what the ship has to
	// do first.
	Done(all tasks.Snapshot, t *tasks.State, role string) (Outcome, error)

	// Parents lists the tasks that consist of other tasks. Helm itself holds and completes them.
	Parents(all tasks.Snapshot) []Parent

	// Plans returns how often the ship that holds a task may try to break it down before helm asks the captain; 0 when it may
	// not.
	Plans(t *tasks.State) int

	// Crew returns the name and the role of the next ship. number is its number, which starts at First; roles are those of the
	// existing ships.
	Crew(number int, roles []string) (name, role string)
	First() int

	// Offer returns the verdict that tells a waiting agent of ready tasks, the best first.
	Offer(ready []string) proto.Verdict
}

// Outcome says what happens to a task that a ship says is done.
type Outcome int

// The outcomes.
const (
	Merge  Outcome = iota // the work is merged
	HandIn                // the work is handed in, to be reviewed before its merge
	Open                  // there is nothing to merge, and other ships continue the task
)

// Ship describes a ship that may claim a task, or be given one.
type Ship struct {
	Name     string
	Provider string // its provider
	Role     string
	Agent    string
	Model    string // the model that its agent has to use, "" for the agent's own choice
}

// ShipOf returns the description of a ship of a voyage.
func ShipOf(v *fleet.Voyage, f *fleet.Ship) Ship {
	return Ship{Name: f.Name, Provider: f.Provider, Role: f.Role, Agent: f.Agent, Model: v.ModelOf(f)}
}

// Gift is a task that helm gives to a ship.
type Gift struct {
	Task string
	Ship string
}

// Parent is a task that consists of other tasks.
type Parent struct {
	Task *tasks.State
	Done bool // nothing of it is left to do
}

// Result is the result of a run of verify.sh.
type Result struct {
	fleet.Verify        // its Fixes is from before the run
	Head         string // head of the branch after the run
	Asked        bool   // the captain asked for the run, whatever the phase
}

// Step is what follows from the tasks.
type Step struct {
	Phase fleet.Phase // the new phase; the old one if it does not change
	Fix   *tasks.Task // a task to add, nil for none
}

// IsClosed is the default for Closed: tasks are handed out while ships are provisioned and while the voyage sails.
func IsClosed(phase fleet.Phase) error {
	if phase == fleet.Sailing || phase == fleet.Fitting {
		return nil
	}
	return &closed{phase}
}

type closed struct{ phase fleet.Phase }

func (c *closed) Error() string { return "no task can be claimed: the voyage is " + string(c.phase) }
