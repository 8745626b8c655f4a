// Package rights decides which ship may ask helm for what, in one table by role, request and the ship's relation to the task. It
// has no lock, no clock and no disk. What the table does not allow is refused in any case.
package rights

import (
	"slices"

	"ocaptain/fleet"
	"ocaptain/tasks"
)

// Given is the role of a pool's worker, to which helm gives its work. It may make few requests.
const Given = "pool's worker"

// Roles are all roles that a ship can have.
var Roles = []string{fleet.Worker, fleet.Planner, fleet.Validator, Given}

// Request is a kind of request of a ship about a task.
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

// Relation is a ship's relation to a task, given the claim that it shows.
type Relation int

// The relations.
const (
	None  Relation = iota // the ship has nothing to do with the task
	Ready                 // the task is ready for ships of its role, and the ship holds no other
	Held                  // the claim was the ship's and has ended: it may ask what became of the claim, but change nothing
	Holds                 // the ship holds the task by that claim
)

// Relations are all relations.
var Relations = []Relation{None, Ready, Held, Holds}

var (
	begins = []Relation{Ready, Holds}
	ends   = []Relation{Held, Holds}
	own    = []Relation{Holds}
)

// table lists, by request and role, the relations to a task with which a ship may make the request.
var table = map[Request]map[string][]Relation{
	Claim:    {fleet.Worker: begins, fleet.Planner: begins, fleet.Validator: begins, Given: own},
	Complete: {fleet.Worker: ends, fleet.Planner: ends, Given: ends},
	Release:  {fleet.Worker: own, fleet.Planner: own, fleet.Validator: own, Given: own},
	Plan:     {fleet.Worker: ends, fleet.Planner: ends},
	Review:   {fleet.Validator: ends},
}

// May reports whether a ship of that role may make a request about a task to which it has this relation.
func May(role string, q Request, r Relation) bool {
	return slices.Contains(table[q][role], r)
}

// Ask reports whether ships of a role may make a request at all.
func Ask(role string, q Request) bool { return len(table[q][role]) > 0 }

// Of returns the relation of a ship to a task, given the epoch of its claim. Epoch 0, which no claim has, stands for any
// earlier claim of the ship. history is the task's history.
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
