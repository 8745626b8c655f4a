package tasks

import (
	"context"
	"fmt"
	"time"
)

// Store hands out the tasks of one voyage. It is the only judge of who may work
// on what: a claim is an exclusive right, fenced by an epoch that grows with
// every grant of that task, and each task has at most one accepted completion.
//
// Every method is safe for concurrent use, also by several processes where the
// implementation says so. A method that returns nil has made its effect durable.
// storetest checks all of this on every implementation.
type Store interface {
	// Snapshot returns the current state. The caller must not change it.
	Snapshot() Snapshot

	// Watch sends the current snapshot at once and a newer one after each change.
	// A slow reader misses states in between, never the last one. The channel
	// closes when ctx ends or the store closes. A delay that ends is no change:
	// who waits for it reads NotBefore.
	Watch(ctx context.Context) <-chan Snapshot

	// Add puts all the tasks in or none: an unusable or duplicate id, a dangling
	// blocker or a cycle refuses the batch. A task without an id is given the next
	// number; the tasks are returned as they are in the store. Adding the very same
	// task again is fine and changes nothing.
	//
	// Blocks and BlockedBy may name new and old tasks; either direction is enough.
	// A new task may not block an old one that was already claimed. A completed
	// task stays completed, any other starts pending without an owner.
	Add(ctx context.Context, add []Task) ([]Task, error)

	// Claim gives the task to owner, or the best one when id is "". A claim that the
	// owner already holds returns the same grant, so asking again after a lost answer
	// is safe; with id "" that is the latest claim that the owner holds. The other tasks
	// of its group are reserved for the owner. A task in review is not given: see
	// Reviews. Refused with a *Refusal.
	//
	// The best task is one reserved for the owner before a free one, then that with
	// the lowest Priority, then that with the longest chain of tasks behind it, then
	// the first in the order of CompareIDs.
	Claim(ctx context.Context, owner, id string) (Grant, error)

	// Reserve keeps a pending task for owner: nobody else may claim it, and Claim of owner
	// without an id gives it before a free one. Another owner may follow directly, and ""
	// frees it. It ends with the claim, and with a Requeue. Reserving it for the one who
	// has it changes nothing. Refused with a *Refusal: Unknown, Done when it is completed,
	// Taken when it is in progress. A task of a group is an error, for a claim reserves it.
	Reserve(ctx context.Context, task, owner string) error

	// Complete records the completion of a claim. Refused with a *Refusal when the
	// claim is not current. The same completion again is fine; only Reopen takes it back.
	Complete(ctx context.Context, c Completion) error

	// Requeue takes a task from its owner and makes it pending again. The old epoch is
	// dead from then on, and a reservation of the task ends. Its group's reservations end
	// too, unless the owner still holds another task of the group. With Epoch or Owner set
	// it does so only while they are current. Requeueing a pending task updates hold, delay,
	// session and reason; a completed one is refused. Work that was handed in stays so, unless Back is set.
	Requeue(ctx context.Context, r Requeue) error

	Reviews

	// Cancel gives a task up for ever, at the captain's word: it counts as completed, without any work. Who holds it loses it, and
	// what was handed in for it is not merged. The same again is fine; a completed one is refused.
	Cancel(ctx context.Context, task, reason string) error

	// Reopen makes a completed task pending again whose work was taken back: it is to be done once more, and what is not done yet waits
	// for it. Refused with a *Refusal: Unknown, Done when it was cancelled, Stale when it was completed by another claim. An open task
	// stays as it is.
	Reopen(ctx context.Context, r Reopen) error

	// Edit gives an open task other words, and has it wait for other tasks, or other tasks for it. Nobody may have begun one that is
	// to wait for more. An edit that dangles or closes a cycle changes nothing. Refused with a *Refusal: Unknown, Done. The same again is fine.
	Edit(ctx context.Context, e Edit) error

	// History returns what happened to a task, oldest first. Refused with a
	// *Refusal when there is no such task.
	History(ctx context.Context, id string) ([]Event, error)

	// Close releases the store. The state stays.
	Close() error
}

// MaxMetadata is how many bytes of JSON the metadata of one task may have in a plan.
const MaxMetadata = 64 << 10

// Reserved is the metadata key under which ocaptain keeps its own data in task files.
const Reserved = "ocaptain"

// The metadata of a task that an agent proposed: who that was, and the number of the proposal.
const (
	ProposedBy     = "proposedBy"
	ProposalNumber = "proposal"
)

// Grant is an accepted claim.
type Grant struct {
	Task  Task     // as it is now, status in_progress and owner set
	Epoch uint64   // to be shown at completion
	Group []string // ids of other tasks reserved for the owner, completed ones left out
}

// ClaimID names the claim of a task with that epoch.
func ClaimID(task string, epoch uint64) string { return fmt.Sprintf("%s.%d", task, epoch) }

// Completion ends a claim, or the way of what was handed in.
type Completion struct {
	Task   string
	Owner  string
	Epoch  uint64
	Commit string // where the work was merged or is kept for its review; "" when it was not merged, as it changes nothing
	Empty  bool   // it changes nothing
}

// Requeue makes a task pending again.
type Requeue struct {
	Task   string
	Epoch  uint64        // when not 0, only this claim is ended
	Owner  string        // when not "", only what this owner holds or has reserved
	Reason string        // in words, for the captain
	By     string        // who wants it
	Delay  time.Duration // how long nobody may claim it
	Hold   bool          // nobody may claim it before it is requeued again

	// Back is work that was handed in and goes back: it is the task's Draft then, and the task is to be done again. Refused when
	// something else is handed in, or nothing.
	Back string
	// GoesOn says that work was interrupted, to go on later. That is counted until work is handed in or approved, or the task is taken off
	// hold. Work is a commit of the hub's with what there is of it, which is the task's Draft then, "" for none.
	GoesOn   bool
	Work     string
	For      string // with Back or GoesOn: for whom the task is reserved, "" for nobody
	Fresh    bool   // whoever claims the task begins at the branch: it has no Draft
	Rejected bool   // with Back: as it is not good enough, which is counted until the task is taken off hold
	Proposed int    // with Hold: how many tasks it is to be broken down into, if the captain approves
}

// Reopen makes a completed task pending again.
type Reopen struct {
	Task   string
	Epoch  uint64 // of the claim that completed it
	Reason string // in words
	By     string // who wants it
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
	By     string    `json:"by,omitempty"` // who wanted it
}
