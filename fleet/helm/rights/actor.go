package rights

import (
	"fmt"
	"slices"

	"ocaptain/fleet"
)

// Actor is who has helm change the tasks of a voyage.
type Actor string

// The actors. What a ship asks for is done in its role; what its journal tells is no request, and helm draws its own conclusions.
const (
	Captain     Actor = fleet.Captain
	Coordinator Actor = fleet.Coordinator // what follows from the parts of a task for the whole
	Journal     Actor = "ship's journal"  // what a ship tells of its agent
	Provider    Actor = "provider"        // what becomes of machines
	Clock       Actor = "clock"           // helm by itself: what is due, or was begun
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
	Reserve  Change = "reserve" // for a ship, or end that
	Begin    Change = "begin"   // claim, or claim to review
	HandIn   Change = "hand in"
	Check    Change = "check" // note how a check of work in review has ended
	Approve  Change = "approve"
	Requeue  Change = "requeue"
	Finish   Change = "complete"
	Reopen   Change = "reopen" // do once more what is completed
	Recorded Change = "record" // complete a claim whose work is on the branch already
)

// Changes are all changes.
var Changes = []Change{Add, Edit, Cancel, Reserve, Begin, HandIn, Check, Approve, Requeue, Finish, Reopen, Recorded}

// changes has what each actor may have helm change.
var changes = map[Actor][]Change{
	Captain:         {Add, Edit, Cancel, Begin, Approve, Requeue, Reopen},
	fleet.Worker:    {Add, Begin, HandIn, Requeue, Finish},
	fleet.Planner:   {Add, Begin, HandIn, Requeue, Finish},
	fleet.Validator: {Begin, Approve, Requeue},
	Given:           {Begin, Requeue, Finish}, // begins what helm gives to it
	Coordinator:     {Begin, Requeue, Finish},
	Journal:         {Requeue},
	Provider:        {Requeue},
	Clock:           {Add, Edit, Reserve, Check, Requeue, Finish, Reopen, Recorded},
}

// MayChange reports whether an actor may have helm change tasks in this way.
func MayChange(by Actor, c Change) bool { return slices.Contains(changes[by], c) }

// Denied is the error of a change that its actor may not make. It is a defect of helm: what a ship asks is judged before by May.
type Denied struct {
	By     Actor
	Change Change
}

// Error says who may not do what.
func (d *Denied) Error() string { return fmt.Sprintf("a %s may not %s a task", d.By, d.Change) }
