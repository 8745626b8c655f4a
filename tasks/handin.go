package tasks

import (
	"context"
	"time"
)

// HandIn is work that its owner has handed in, on its way to the branch: checked, reviewed and merged. The task keeps
// the HandIn after the merge.
type HandIn struct {
	Owner   string    `json:"owner"`           // the ship that did the work
	Hub     int       `json:"hub,omitempty"`   // the hub of that ship; see State.Hub
	Taken   bool      `json:"taken,omitempty"` // a hub has taken the work to review and merge it, where several share the tasks
	By      int       `json:"by,omitempty"`    // the number of that hub
	Epoch   uint64    `json:"epoch"`           // the epoch of the claim under which the work was done
	Commit  string    `json:"commit"`
	Empty   bool      `json:"empty,omitempty"`   // the work changes nothing
	On      string    `json:"on,omitempty"`      // the commit in review that this work builds on, "" for none; see Under
	Summary string    `json:"summary,omitempty"` // what the owner says about the work
	Begun   time.Time `json:"begun"`             // when the claim was granted
	At      time.Time `json:"at"`
	Checked string    `json:"checked,omitempty"` // the commit that was checked: this work merged with the branch; "" before the check
	Passed  bool      `json:"passed,omitempty"`  // the check passed, or fails on the branch without this work as well
	Review  *Review   `json:"review,omitempty"`  // the review that approved it
}

// InReview reports whether work on the task was handed in and is not yet merged.
func (s *State) InReview() bool { return s.HandIn != nil && s.Status != Completed }

// Approved reports whether the work only waits for its merge.
func (s *State) Approved() bool { return s.InReview() && s.HandIn.Review != nil }

// Reviews is the part of a Store for work that is reviewed before its merge. The owner hands the work in. The task is then
// pending without an owner until a reviewer claims the review. The reviewer approves the work or requeues the task. Approved
// work is completed under the claim of its owner.
type Reviews interface {
	// ClaimReview claims the review of a named task. It never claims a task to work on, as Claim never claims a review: a caller that chose
	// the task from an older snapshot may not know that it was handed in. The refusal is Stale when the task is not in review.
	ClaimReview(ctx context.Context, owner, id string) (Grant, error)

	// HandIn ends a claim with work for review. Refused with a *Refusal when the claim is not current. Repeating the same
	// call changes nothing.
	HandIn(ctx context.Context, c Completion, summary string) error

	// Checked records the result of the check of handed-in work: commit is that work, and together is its merge with the
	// branch. Reviewers can then claim the review. Refused with a *Refusal when other work is handed in, or a reviewer
	// has claimed the review.
	Checked(ctx context.Context, task, commit, together string, passed bool) error

	// Approve ends the claim of a reviewer. After that, a Completion with the epoch of the work's owner completes the
	// task. Refused with a *Refusal when the reviewer's claim is not current, or nothing was handed in.
	Approve(ctx context.Context, task, owner string, epoch uint64, r Review) error
}
