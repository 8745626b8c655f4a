package tasks

import (
	"context"
	"time"
)

// HandIn is work that was handed in and is on its way to the branch: it is checked, reviewed and merged. A task keeps it once
// that is done.
type HandIn struct {
	Owner   string    `json:"owner"` // who did the work
	Epoch   uint64    `json:"epoch"` // of the claim under which it was done
	Commit  string    `json:"commit"`
	Empty   bool      `json:"empty,omitempty"`   // it changes nothing
	On      string    `json:"on,omitempty"`      // other work in review that it is on top of, "" for none; see Under
	Summary string    `json:"summary,omitempty"` // what its owner says of it
	Begun   time.Time `json:"begun"`             // when that claim was granted
	At      time.Time `json:"at"`
	Checked string    `json:"checked,omitempty"` // what it and the branch became together, once that was checked
	Passed  bool      `json:"passed,omitempty"`  // the check; else it fails without the work as well
	Review  *Review   `json:"review,omitempty"`  // by which it was approved
}

// InReview reports whether work on the task was handed in and is not merged yet.
func (s *State) InReview() bool { return s.HandIn != nil && s.Status != Completed }

// Approved reports whether the work on the task waits for nothing but its merge.
func (s *State) Approved() bool { return s.InReview() && s.HandIn.Review != nil }

// Reviews is the part of a Store that is about work which is reviewed before it is merged. Such a task goes from hand to
// hand: its owner hands it in, then it is pending without an owner until a reviewer claims the review, who approves it or has it
// requeued; one that is approved is completed as the claim of him who handed it in.
type Reviews interface {
	// ClaimReview is Claim of a named task that is in review. Neither gives what the other does: a snapshot by which somebody chooses a task
	// may be older than a hand-in. Stale says that it is not in review.
	ClaimReview(ctx context.Context, owner, id string) (Grant, error)

	// HandIn ends a claim with work that is to be reviewed. Refused with a *Refusal when the claim is not current. The same
	// again is fine.
	HandIn(ctx context.Context, c Completion, summary string) error

	// Checked notes what became of work that was handed in as commit and the branch together, which was checked: it can be
	// reviewed. Refused with a *Refusal when something else is handed in, or somebody is at it.
	Checked(ctx context.Context, task, commit, together string, passed bool) error

	// Approve ends the claim of a reviewer: the work can be completed by a Completion of the claim under which it was done, and
	// in no other way. Refused with a *Refusal when the claim is not current, or nothing was handed in.
	Approve(ctx context.Context, task, owner string, epoch uint64, r Review) error
}
