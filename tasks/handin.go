package tasks

import (
	"context"
	"time"
)

// HandIn is work on its way to the branch: it is checked, reviewed and merged. The task keeps the HandIn afterwards.
type HandIn struct {
	Owner   string    `json:"owner"` // who did the work
	Epoch   uint64    `json:"epoch"` // of the claim that the work was done under
	Commit  string    `json:"commit"`
	Empty   bool      `json:"empty,omitempty"`   // the work changes nothing
	On      string    `json:"on,omitempty"`      // the commit in review that this work builds on, "" for none; see Under
	Summary string    `json:"summary,omitempty"` // what the owner says about the work
	Begun   time.Time `json:"begun"`             // when the claim was granted
	At      time.Time `json:"at"`
	Checked string    `json:"checked,omitempty"` // the checked commit of this work together with the branch, "" before the check
	Passed  bool      `json:"passed,omitempty"`  // the check passed; if not, it fails without this work as well
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
	// ClaimReview is Claim for a named task in review. Claim never gives a review, nor ClaimReview a task, since the caller may choose by a
	// snapshot from before the hand-in. Stale means that the task is not in review.
	ClaimReview(ctx context.Context, owner, id string) (Grant, error)

	// HandIn ends a claim with work for review. Refused with a *Refusal when the claim is not current. Repeating the same
	// call is fine.
	HandIn(ctx context.Context, c Completion, summary string) error

	// Checked records the check of work that was handed in as commit: together is that work and the branch in one commit.
	// The work can then be reviewed. Refused with a *Refusal when other work is handed in, or somebody has claimed the
	// review.
	Checked(ctx context.Context, task, commit, together string, passed bool) error

	// Approve ends the claim of a reviewer. Only a Completion under the claim of the work's owner then completes the task.
	// Refused with a *Refusal when the reviewer's claim is not current, or nothing was handed in.
	Approve(ctx context.Context, task, owner string, epoch uint64, r Review) error
}
