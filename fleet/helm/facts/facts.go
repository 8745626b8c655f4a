// Package facts has what helm remembers of a voyage beside its tasks and its fleet, as plain values: nothing here knows a lock, a clock or
// the disk. What the journal tells is State: it takes over records, and lists the records that bring it about again.
package facts

import (
	"encoding/json"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/dispatch"
	"ocaptain/tasks"
	"ocaptain/tasks/journal"
)

// The kinds of records that helm writes about a voyage.
const (
	KindNote      = "helm.note"      // fleet.Note: see Notes
	KindProposal  = "helm.proposal"  // fleet.Proposal
	KindDismissed = "helm.dismissed" // Dismissed
	KindCheckout  = "helm.checkout"  // Checkout
	KindRefused   = "helm.refused"   // what an agent asked for and why not
	KindConflict  = "helm.conflict"  // Conflict
	KindVerified  = "helm.verified"  // fleet.Verify
	KindHold      = "helm.hold"      // Hold
	KindFence     = "helm.fence"     // Fence
	KindSteering  = "helm.steering"  // fleet.Steering
	KindCancel    = "helm.cancel"    // Cancel
	KindPause     = "helm.pause"     // Paused
	KindBudget    = "helm.budget"    // float64: US dollars, 0 for any sum
)

// State is all that the journal tells of a voyage beside its tasks and its fleet. The zero State is that of a new voyage.
type State struct {
	Claims    Claims
	Steering  map[string]fleet.Steering // work that changes files which steer agents, the last by task
	Proposals Proposals
	Holds     Holds
	Marks     Marks
	Cancels   Cancels
	Pauses    Pauses
	MaxCost   *float64 // the budget that the captain has set since the voyage sailed, nil for none
}

// Record is what is written to the journal.
type Record struct {
	At   time.Time // when it happened, zero for now
	Kind string
	Data any
}

// Add takes over a record of the journal. A record of another kind, or an unreadable record, changes nothing.
func (s *State) Add(r journal.Record) {
	switch r.Kind {
	case KindCheckout:
		take(r, s.Claims.CheckOut)
	case KindConflict:
		take(r, s.Claims.addConflict)
	case KindFence:
		take(r, s.Claims.AddFence)
	case KindSteering:
		take(r, s.SetSteering)
	case KindPause:
		take(r, s.Pauses.Set)
	case KindBudget:
		take(r, func(most float64) { s.MaxCost = &most })
	case KindCancel:
		take(r, s.Cancels.Add)
	case KindHold:
		take(r, s.Holds.add)
	case KindProposal:
		take(r, func(p fleet.Proposal) { _, _ = s.Proposals.Add(p) })
	case KindDismissed:
		take(r, s.Proposals.Remove)
	case dispatch.KindBegan, dispatch.KindDone:
		take(r, func(m dispatch.Mark) { s.Marks.Add(r.At, r.Kind, m) })
	}
}

// take reads what a record says, if it can.
func take[T any](r journal.Record, fn func(T)) {
	var data T
	if json.Unmarshal(r.Data, &data) == nil {
		fn(data)
	}
}

// Records lists the records by which an empty State becomes this one, and so does a State that has taken over the journal.
func (s *State) Records() []Record {
	all := s.Claims.records()
	for _, is := range s.Steering {
		all = append(all, Record{Kind: KindSteering, Data: is})
	}
	all = append(all, s.Proposals.records()...)
	all = append(all, s.Holds.records()...)
	all = append(all, s.Cancels.records()...)
	all = append(all, s.Pauses.records()...)
	if s.MaxCost != nil {
		all = append(all, Record{Kind: KindBudget, Data: *s.MaxCost})
	}
	return append(all, s.Marks.records()...)
}

// SetSteering keeps what became of work that changes files which steer agents.
func (s *State) SetSteering(is fleet.Steering) {
	if s.Steering == nil {
		s.Steering = map[string]fleet.Steering{}
	}
	s.Steering[is.Task] = is
}

// Forget drops facts about claims that are over and ships that are gone, once no ship can ask for them. The next helm reads them from the
// journal again, and drops them with its first board.
func (s *State) Forget(task func(id string) *tasks.State, there map[string]bool) {
	s.Claims.forget(task, there)
	s.Pauses.forget(there)
	for id, is := range s.Steering { // the board shows what was let in
		if t := task(id); t == nil || t.Epoch != is.Epoch && (t.HandIn == nil || t.HandIn.Epoch != is.Epoch) {
			delete(s.Steering, id)
		}
	}
	s.Marks.forget(task)
}
