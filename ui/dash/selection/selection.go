// Package selection is what the captain has selected on the dashboard, and says why an action has nothing to act on.
package selection

import (
	"ocaptain/fleet"
	"ocaptain/fleet/clean"
	"ocaptain/tasks"
	"ocaptain/ui/dash/act/onship"
	"ocaptain/ui/dash/act/ontree"
)

// Selection is what an action of the captain's would apply to. Its methods whose names begin with No or Not return a text that says why an
// action cannot be done, "" when it can.
type Selection struct {
	Board       *fleet.Board    // of the shown voyage, nil for no voyage
	Loaded      bool            // the board was read
	Ship        *fleet.ShipView // nil for none
	Coordinator bool            // a session's coordinator is selected in place of a ship
	Task        *tasks.State    // nil for none
	Question    *fleet.Question // about what is shown, or about the task; nil for none
	Proposal    *fleet.Proposal // the proposal that is shown, nil for none
	OnTasks     bool            // the list of tasks has the focus
	Filtered    bool            // the list of tasks is filtered
	OnDiff      bool            // the page of a diff is shown
	OnTrees     bool            // the page shows trees that all share
	Needs       int             // what needs the captain
}

// NoneYet is the text of an action that needs a voyage when there is none.
const NoneYet = "there is no voyage yet; s sails a plan, p gives a worker something to do"

// Pool returns the name of the shown pool, "" when another kind of voyage or none is shown.
func (s Selection) Pool() string {
	if s.Board == nil {
		return ""
	}
	return s.Board.Voyage.PoolName()
}

// NoVoyage returns why nothing can be done with the voyage.
func (s Selection) NoVoyage() string {
	if s.Board == nil || !s.Loaded {
		return NoneYet
	}
	return ""
}

// NoSession returns why no epic can be added.
func (s Selection) NoSession() string {
	switch {
	case s.NoVoyage() != "":
		return s.NoVoyage()
	case !s.Board.Voyage.Kind.TakesEpics():
		return "only a session has a planner, for what you ask for in words: ocaptain start"
	}
	return ""
}

// NoSharedTree returns why there is no shared tree to act on.
func (s Selection) NoSharedTree() string {
	switch {
	case s.NoVoyage() != "":
		return s.NoVoyage()
	case s.Board.Voyage.Sync != fleet.SyncLive:
		return "each ship of this voyage has a tree of its own"
	}
	return ""
}

// NoClash returns why there are no clashing files to settle.
func (s Selection) NoClash() string {
	if !s.OnTrees || ontree.IsSettled(s.Board) {
		return "nothing that is shown is to be settled"
	}
	return ""
}

// NoVerify returns why the voyage cannot be verified now.
func (s Selection) NoVerify() string {
	if s.Pool() != "" {
		return "a pool has no plan to verify; d shows what a dispatch has changed"
	}
	return s.NoShips()
}

// NoWholeDiff returns why the diff of the whole voyage cannot be shown.
func (s Selection) NoWholeDiff() string {
	if s.Pool() != "" {
		return "each dispatch of a pool has a branch of its own; d shows what the selected one has changed"
	}
	return s.NoVoyage()
}

// NoNeeds returns why there is no next need.
func (s Selection) NoNeeds() string {
	if s.Needs == 0 {
		return "nothing needs you"
	}
	return ""
}

// NoProposals returns why there are no proposals to decide.
func (s Selection) NoProposals() string {
	if s.Board == nil || len(s.Board.Proposals) == 0 {
		return "there is no proposal"
	}
	return ""
}

// NoShips returns why nothing can be done with all ships.
func (s Selection) NoShips() string {
	if s.Board == nil || len(s.Board.Ships) == 0 {
		return "no ship is out; s adds one"
	}
	return ""
}

// NoShip returns why nothing can be done with a ship.
func (s Selection) NoShip() string {
	switch {
	case s.Ship != nil:
		return ""
	case s.Coordinator:
		return fleet.Coordinator + " is a part of helm and has no machine; m asks it for something"
	}
	return "no ship is selected"
}

// NotAttachable returns why the captain cannot attach to the ship.
func (s Selection) NotAttachable() string {
	switch {
	case s.Ship == nil:
		return s.NoShip()
	case s.Ship.Phase != fleet.Afloat:
		return s.Ship.Name + " is not provisioned yet"
	}
	return ""
}

// NoTaskHeld returns why there is no task of the ship to act on.
func (s Selection) NoTaskHeld() string {
	switch {
	case s.Ship == nil:
		return s.NoShip()
	case s.Ship.Task == "":
		return s.Ship.Name + " holds no task"
	}
	return ""
}

// NoAddressee returns why no message can be sent.
func (s Selection) NoAddressee() string {
	switch {
	case s.Coordinator:
		return s.NoSession()
	case s.Ship == nil:
		return s.NoShip()
	}
	return onship.NoMessages(s.Board, &s.Ship.Ship)
}

// NoWorker returns why nothing can be done with a worker of a pool.
func (s Selection) NoWorker() string {
	if s.Pool() == "" {
		return "only a pool has workers"
	}
	return s.NoShip()
}

// NotDrainable returns why the worker cannot be drained.
func (s Selection) NotDrainable() string {
	switch {
	case s.NoWorker() != "":
		return s.NoWorker()
	case s.Ship.Draining:
		return s.Ship.Name + " is drained already"
	}
	return ""
}

// NothingToDiff returns why the diff of the task or the ship cannot be shown.
func (s Selection) NothingToDiff() string {
	if s.OnTasks {
		return s.NoTask()
	}
	return s.NoShip()
}

// id returns the id of the task as it may be shown.
func (s Selection) id() string { return clean.Line(s.Task.ID) }

// Copied returns what is copied of the ship or, with OnTasks, of the task, and a phrase for it; "" for nothing.
func (s Selection) Copied() (text, what string) {
	switch {
	case s.OnTasks && s.Task != nil:
		return s.Task.ID, "task id " + s.id()
	case !s.OnTasks && s.Ship != nil:
		return "ocaptain shell " + s.Board.Voyage.ID + " " + s.Ship.Name, "the command that attaches to " + s.Ship.Name
	}
	return "", ""
}
