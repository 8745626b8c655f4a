package tasks

import (
	"context"
	"fmt"
	"time"
)

// Store hands out the tasks of one voyage. It alone decides who may work on which task: a claim is an exclusive
// right, fenced by an epoch that grows with every grant of that task, and each task has at most one accepted
// completion.
//
// Every method is safe for concurrent use, also by several processes where the
// implementation says so. A method that returns nil has made its effect durable.
// storetest checks all of this on every implementation.
type Store interface {
	// Snapshot returns the current state. The caller must not change it.
	Snapshot() Snapshot

	// Watch sends the current snapshot at once and a newer one after each change. A slow reader
	// misses states in between, never the last. The channel closes when ctx ends or the store
	// closes. The end of a delay sends no snapshot; see NotBefore.
	Watch(ctx context.Context) <-chan Snapshot

	// Add adds all the tasks or none: it refuses the batch for an unusable or duplicate id, a
	// dangling blocker or a cycle. A task without an id gets the next number. Add returns the tasks
	// as stored. Adding exactly the same task again changes nothing.
	//
	// Blocks and BlockedBy may name new and old tasks; one direction is enough. A new task may not
	// block an old task that was already claimed. A completed task stays completed; any other
	// starts pending without an owner.
	Add(ctx context.Context, add []Task) ([]Task, error)

	// Claim gives the task to owner, or the best task when id is "". If the owner already holds the
	// claim, Claim returns the same grant, so that a caller may ask again after a lost answer; with
	// id "" that is the owner's latest claim. The other tasks of the group are reserved for the
	// owner. Claim never gives a task in review: see Reviews. Refused with a *Refusal.
	//
	// Tasks reserved for the owner are best, then those with the lowest Priority, then with the
	// longest chain of waiting tasks, then the first in the order of CompareIDs.
	Claim(ctx context.Context, owner, id string) (Grant, error)

	// Reserve keeps a pending task for owner: no other owner may claim it, and Claim without an id gives it before a free
	// task. A later Reserve may name another owner, or "" to free the task. A claim or Requeue ends the reservation.
	// Reserving the task again for the same owner changes nothing. Refused with a *Refusal: Unknown, Done when it is
	// completed, Taken when it is in progress. A task of a group is an error, since a claim reserves the
	// tasks of its group.
	Reserve(ctx context.Context, task, owner string) error

	// Complete records the completion of a claim. Refused with a *Refusal when the claim is not
	// current. Repeating the same completion is fine; only Reopen undoes it.
	Complete(ctx context.Context, c Completion) error

	// Requeue takes a task from its owner and makes it pending again. The old epoch is then stale, and the reservation of
	// the task ends. The reservations of its group end too, unless the owner still holds another task of the group. With
	// Epoch or Owner set, Requeue is refused unless they are current. Requeueing a pending task updates hold, delay,
	// session and reason; a completed task is refused. Work that was handed in stays handed in, unless Back is set.
	Requeue(ctx context.Context, r Requeue) error

	Reviews

	// Cancel ends a task because the captain says so: it counts as completed, without any work. Its owner loses it, and work
	// that was handed in for it is not merged. Repeating the call is fine; a completed task is refused.
	Cancel(ctx context.Context, task, reason string) error

	// Reopen makes a completed task pending again after its work was reverted. Open tasks that depend on it wait again. Refused with a
	// *Refusal: Unknown, Done when it was cancelled, Stale when another claim completed it. An open task stays as it is.
	Reopen(ctx context.Context, r Reopen) error

	// Edit changes the text and the dependencies of an open task. A task that was claimed before cannot get a new blocker. An edit with a
	// dangling reference or a cycle changes nothing. Refused with a *Refusal: Unknown, Done. Repeating the call is fine.
	Edit(ctx context.Context, e Edit) error

	// History returns what happened to a task, oldest first. Refused with a
	// *Refusal when there is no such task.
	History(ctx context.Context, id string) ([]Event, error)

	// Close releases the store. The state stays.
	Close() error
}

// MaxMetadata bounds the metadata of one task in a plan, in bytes of JSON.
const MaxMetadata = 64 << 10

// Reserved is the metadata key under which ocaptain keeps its own data in task files.
const Reserved = "ocaptain"

// The metadata of a task that an agent proposed holds the agent's ship and the number of the proposal.
const (
	ProposedBy     = "proposedBy"
	ProposalNumber = "proposal"
)

// Grant is an accepted claim.
type Grant struct {
	Task  Task     // with status in_progress and owner set
	Epoch uint64   // to pass to Complete and HandIn
	Group []string // the ids of the other open tasks of the group, now reserved for the owner
}

// ClaimID returns the name of the claim of this task with this epoch.
func ClaimID(task string, epoch uint64) string { return fmt.Sprintf("%s.%d", task, epoch) }

// Completion ends a claim, or completes work that was handed in.
type Completion struct {
	Task   string
	Owner  string
	Epoch  uint64
	Commit string // the commit that merges the work, or keeps it for its review; "" when the work changes nothing
	Empty  bool   // the work changes nothing
}

// Requeue makes a task pending again.
type Requeue struct {
	Task   string
	Epoch  uint64        // when not 0, end only this claim
	Owner  string        // when not "", requeue only what this owner holds or has reserved
	Reason string        // in words, for the captain
	By     string        // who requests it
	Delay  time.Duration // how long the task cannot be claimed
	Hold   bool          // the task cannot be claimed before the next requeue

	// Back is the commit of handed-in work that a reviewer returns: it becomes the task's Draft, and the task has to be done
	// again. Refused when the task has no handed-in work or other work.
	Back string
	// GoesOn marks the work as interrupted, to go on later. The store counts this until work is handed in or approved, or the task is
	// taken off hold.
	GoesOn   bool
	Work     string // without Back: the commit in which a hub has kept the work so far, "" for none; it becomes the task's Draft
	For      string // with Back or GoesOn: reserve the task for this owner, "" for none
	Fresh    bool   // the next claim starts from the branch: the task loses its Draft
	Rejected bool   // with Back: the reviewer rejected the work; counted until the task is taken off hold
	Proposed int    // with Hold: the number of tasks in the breakdown that the captain has to decide on
}

// Reopen makes a completed task pending again.
type Reopen struct {
	Task   string
	Epoch  uint64 // of the claim that completed it
	Reason string // in words
	By     string // who requests it
}

// Claimed is the kind of the event of a claim.
const Claimed = "claimed"

// Event is one entry of a task's history.
type Event struct {
	At     time.Time `json:"at"`
	Kind   string    `json:"kind"` // added, reserved, claimed, handed-in, checked, approved, completed, cancelled, requeued, edited, reopened
	Task   string    `json:"task"`
	Owner  string    `json:"owner,omitempty"`
	Epoch  uint64    `json:"epoch,omitempty"`
	Commit string    `json:"commit,omitempty"`
	Reason string    `json:"reason,omitempty"`
	By     string    `json:"by,omitempty"` // who requested it
}
