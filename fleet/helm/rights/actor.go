package rights

import (
	"fmt"
	"slices"

	"ocaptain/fleet"
)

// Actor is on whose behalf helm changes the tasks of a voyage.
type Actor string

// The actors. Requests of a ship are made by its role. What the ship's journal reports is no request: helm draws its own
// conclusions from it.
const (
	Captain     Actor = fleet.Captain
	Coordinator Actor = fleet.Coordinator // changes to a task that follow from its parts
	Journal     Actor = "ship's journal"  // changes that follow from what a ship reports about its agent
	Provider    Actor = "provider"        // changes that follow from what happens to machines
	Clock       Actor = "clock"           // changes that helm makes by itself, when something is due or was interrupted
)

// Actors are all actors.
var Actors = []Actor{Captain, fleet.Worker, fleet.Planner, fleet.Validator, Given, Coordinator, Journal, Provider, Clock}

// Change is a change of the tasks of a voyage.
type Change string

// The changes.
const (
	Add      Change = "add"
	Edit     Change = "edit"
	Cancel   Change = "cancel"
	Reserve  Change = "reserve" // reserve a task for a ship, or end a reservation
	Begin    Change = "begin"   // claim a task or its review
	HandIn   Change = "hand in"
	Check    Change = "check" // record the result of a check of work in review
	Approve  Change = "approve"
	Requeue  Change = "requeue"
	Finish   Change = "complete"
	Reopen   Change = "reopen" // make a completed task pending again
	Recorded Change = "record" // complete a claim whose work is already on the branch
	Repair   Change = "repair" // put back what the log that hubs share has lost
)

// Changes are all changes.
var Changes = []Change{Add, Edit, Cancel, Reserve, Begin, HandIn, Check, Approve, Requeue, Finish, Reopen, Recorded, Repair}

// changes lists the changes that each actor may make.
var changes = map[Actor][]Change{
	Captain:         {Add, Edit, Cancel, Begin, Approve, Requeue, Reopen, Repair},
	fleet.Worker:    {Add, Begin, HandIn, Requeue, Finish},
	fleet.Planner:   {Add, Begin, HandIn, Requeue, Finish},
	fleet.Validator: {Begin, Approve, Requeue},
	Given:           {Begin, Requeue, Finish}, // claims the tasks that helm gives to it
	Coordinator:     {Begin, Requeue, Finish},
	Journal:         {Requeue},
	Provider:        {Requeue},
	Clock:           {Add, Edit, Reserve, Check, Requeue, Finish, Reopen, Recorded},
}

// MayChange reports whether an actor may make a change.
func MayChange(by Actor, c Change) bool { return slices.Contains(changes[by], c) }

// Denied is the error of a change that its actor may not make. It means that helm has a bug, since May checks the requests of
// ships before.
type Denied struct {
	By     Actor
	Change Change
}

// Error says who may not do what.
func (d *Denied) Error() string { return fmt.Sprintf("a %s may not %s a task", d.By, d.Change) }
