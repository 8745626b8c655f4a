// Package rights says which ship may ask helm for what, as one table of roles, requests and relations to the task that is named.
// It knows no lock, no clock and no disk. What the table does not allow is refused, whatever else is true.
package rights

import (
	"slices"

	"ocaptain/fleet"
	"ocaptain/tasks"
)

// Given is the role of a pool's worker: it is given what to do, and asks for nothing else.
const Given = "pool's worker"

// Roles are all roles that a ship can have.
var Roles = []string{fleet.Worker, fleet.Planner, fleet.Validator, Given}

// Request is something that a ship asks of a task.
type Request string

// The requests.
const (
	Claim    Request = "claim"
	Complete Request = "complete"
	Release  Request = "release"
	Plan     Request = "plan"
	Review   Request = "review"
)

// Requests are all requests.
var Requests = []Request{Claim, Complete, Release, Plan, Review}

// Relation is what a ship has to do with a task, by the claim that it shows.
type Relation int

// The relations.
const (
	None  Relation = iota // nothing
	Ready                 // the task is ready for ships of its role, and it holds no other
	Held                  // that claim was its own, and has ended: it may be told what became of it, and changes nothing
	Holds                 // it holds the task by that claim
)

// Relations are all relations.
var Relations = []Relation{None, Ready, Held, Holds}

var (
	begins = []Relation{Ready, Holds}
	ends   = []Relation{Held, Holds}
	own    = []Relation{Holds}
)

// table has the relations to a task by which a role may ask, by request and role.
var table = map[Request]map[string][]Relation{
	Claim:    {fleet.Worker: begins, fleet.Planner: begins, fleet.Validator: begins, Given: own},
	Complete: {fleet.Worker: ends, fleet.Planner: ends, Given: ends},
	Release:  {fleet.Worker: own, fleet.Planner: own, fleet.Validator: own, Given: own},
	Plan:     {fleet.Worker: ends, fleet.Planner: ends},
	Review:   {fleet.Validator: ends},
}

// May reports whether a ship of a role may ask for something that concerns a task to which it has this relation.
func May(role string, q Request, r Relation) bool {
	return slices.Contains(table[q][role], r)
}

// Ask reports whether ships of a role may ask for something at all.
func Ask(role string, q Request) bool { return len(table[q][role]) > 0 }

// Of returns what a ship has to do with a task by the claim of an epoch. With epoch 0, which no claim has, Held stands for any
// claim that it had. history is that of the task.
func Of(t *tasks.State, ship string, epoch uint64, history []tasks.Event) Relation {
	if epoch > 0 && t.Status == tasks.InProgress && t.Owner == ship && t.Epoch == epoch {
		return Holds
	}
	had := func(e tasks.Event) bool {
		return e.Kind == tasks.Claimed && e.Owner == ship && (epoch == 0 || e.Epoch == epoch)
	}
	if slices.ContainsFunc(history, had) {
		return Held
	}
	return None
}
