// Package facts holds what helm remembers of a voyage apart from its tasks and its fleet, as plain values without locks, clock or disk.
// State is the part that the journal holds: it is built from records, and lists the records that restore it.
package facts

import (
	"encoding/json"
	"time"

	"ocaptain/fleet/dispatch"
	"ocaptain/tasks"
	"ocaptain/tasks/journal"
)

// The kinds of records that helm writes about a voyage.
const (
	KindNote      = "helm.note"      // data: a fleet.Note, see Notes
	KindProposal  = "helm.proposal"  // data: a fleet.Proposal
	KindDismissed = "helm.dismissed" // data: a Dismissed
	KindCheckout  = "helm.checkout"  // data: a Checkout
	KindRefused   = "helm.refused"   // data: what an agent asked for, and why that was refused
	KindConflict  = "helm.conflict"  // data: a Conflict
	KindVerified  = "helm.verified"  // data: a fleet.Verify
	KindHold      = "helm.hold"      // data: a Hold
	KindFence     = "helm.fence"     // data: a Fence
	KindSteering  = "helm.steering"  // data: a fleet.Steering
	KindCancel    = "helm.cancel"    // data: a Cancel
	KindPause     = "helm.pause"     // data: a Paused
	KindBudget    = "helm.budget"    // data: a float64, US dollars, 0 for no limit
)

// State is everything that the journal says about a voyage apart from its tasks and its fleet. The zero State is that of
// a new voyage.
type State struct {
	Claims  Claims
	Marks   Marks
	Cancels Cancels
}

// Record is a record for the journal.
type Record struct {
	At   time.Time // the time of the event, zero for now
	Kind string
	Data any
}

// Add updates the state with a record of the journal. It ignores records of other kinds and unreadable records.
func (s *State) Add(r journal.Record) {
	switch r.Kind {
	case KindCheckout:
		take(r, s.Claims.CheckOut)
	case KindConflict:
		take(r, s.Claims.addConflict)
	case KindFence:
		take(r, s.Claims.AddFence)
	case KindCancel:
		take(r, s.Cancels.Add)
	case dispatch.KindBegan, dispatch.KindDone:
		take(r, func(m dispatch.Mark) { s.Marks.Add(r.At, r.Kind, m) })
	}
}

// take calls fn with the data of a record, if it is readable.
func take[T any](r journal.Record, fn func(T)) {
	var data T
	if json.Unmarshal(r.Data, &data) == nil {
		fn(data)
	}
}

// Records lists the records that restore this state, in an empty State and in a State that already has records of the same
// journal.
func (s *State) Records() []Record {
	all := s.Claims.records()
	all = append(all, s.Cancels.records()...)
	return append(all, s.Marks.records()...)
}

// Forget drops facts about ended claims and ships that are gone, once no ship can ask for them. The next helm reads them from the journal
// again, and drops them with its first board.
func (s *State) Forget(task func(id string) *tasks.State, there map[string]bool) {
	s.Claims.forget(task, there)
	s.Marks.forget(task)
}
