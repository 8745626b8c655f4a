// Package blame decides who or what is to blame for an error when work is claimed, checked or merged, and so what
// happens next.
package blame

import (
	"errors"
	"fmt"
	"strings"

	"ocaptain/fleet"
	"ocaptain/fleet/aboard/wire"
	"ocaptain/fleet/proto"
	"ocaptain/sync"
	"ocaptain/tasks"
)

// Blame says what caused an error.
type Blame int

// The causes of an error.
const (
	Nothing Blame = iota // there is no error
	Away                 // the hub is to blame: the ship has to repeat its request, and the captain was told why
	Asker                // tasks.Refusal: the request does not fit the state of the tasks
	Clash                // sync.Conflict: the work conflicts with work that was merged meanwhile
	Guard                // NotLetIn: a guard does not let the work be merged
	Work                 // the work cannot be merged as it is, or verify.sh fails on it
	Ship                 // ShipTrouble: a ship could not run a check
	Hub                  // sync.Hindered: nothing can be merged at the hub
	Captain              // sync.Hindered with paths: files that the captain has changed are in the way of this work
	Unknown
)

// Judge returns the cause of an error, and the error that it wraps for this cause. If it wraps several, the first in
// the order of the constants counts.
func Judge(err error) (Blame, error) {
	if err == nil {
		return Nothing, nil
	}
	if in, ok := errors.AsType[*wire.Error](err); ok && in.Code == proto.CodeAway {
		return Away, in
	}
	if in, ok := errors.AsType[*tasks.Refusal](err); ok {
		return Asker, in
	}
	if in, ok := errors.AsType[*sync.Conflict](err); ok {
		return Clash, in
	}
	if in, ok := errors.AsType[*NotLetIn](err); ok {
		return Guard, in
	}
	if in, ok := errors.AsType[*NotPassed](err); ok {
		return Work, in
	}
	if in, ok := errors.AsType[*sync.Refused](err); ok {
		return Work, in
	}
	if in, ok := errors.AsType[*ShipTrouble](err); ok {
		return Ship, in
	}
	if in, ok := errors.AsType[*sync.Hindered](err); ok && len(in.Paths) > 0 {
		return Captain, in
	} else if ok {
		return Hub, in
	}
	return Unknown, err
}

// IsAway reports whether err means that the ship has to ask again.
func IsAway(err error) bool {
	is, _ := Judge(err)
	return is == Away
}

// HubWaits returns the error for a ship that has to ask again once the hub can merge.
func HubWaits(why string) error {
	return &wire.Error{Code: proto.CodeAway, Text: "the hub has to wait: " + why}
}

// NotLetIn is the error of a merge that a guard refuses, because the work changes files which steer agents.
type NotLetIn struct {
	fleet.Steering
	Waits bool // the captain has to be asked first
}

// Error says what the agent has to do.
func (n *NotLetIn) Error() string {
	if n.Waits {
		return fmt.Sprintf("together with what was merged meanwhile, the work on task %s changes files that steer agents, and the captain has not approved that. "+
			"Complete the task again, then the captain is asked: %s", n.Task, n.list())
	}
	why := "is not merged, by the captain's configuration (guard.steering: deny)"
	if n.Word == fleet.Rejected {
		why = "was rejected by the captain"
		if n.Why != "" {
			why += ": " + n.Why
		}
	}
	return fmt.Sprintf("the work on task %s %s. It changes files that steer agents. Leave these as they are on the branch, then complete the task again: %s",
		n.Task, why, n.list())
}

// list names all known files.
func (n *NotLetIn) list() string {
	text := strings.Join(n.Paths, ", ")
	if n.More > 0 {
		text += fmt.Sprintf(" and %d more", n.More)
	}
	return text
}

// ShipTrouble is the error of a ship that could not run a check.
type ShipTrouble struct{ Err error }

// Error returns the text of Err.
func (s *ShipTrouble) Error() string { return s.Err.Error() }

// Unwrap returns Err.
func (s *ShipTrouble) Unwrap() error { return s.Err }

// NotPassed is the error of work on which verify.sh fails.
type NotPassed struct{ Output string }

// Error says in one line that verify.sh fails, and then shows all its output.
func (n *NotPassed) Error() string {
	out := strings.TrimSpace(n.Output)
	if out == "" {
		return "verify.sh fails on it, and prints nothing"
	}
	return "verify.sh fails on it, and ends with: " + out[strings.LastIndexByte(out, '\n')+1:] + "\n" + out
}
