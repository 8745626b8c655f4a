// Package captain carries out what the captain decides about the tasks of a voyage: he edits, adds, splits, cancels and reverts tasks, and decides
// about plans, reviews and proposals.
package captain

import (
	"context"
	gosync "sync"

	"ocaptain/fleet/helm/core"
	"ocaptain/fleet/helm/rights"
	"ocaptain/fleet/turn"
	"ocaptain/tasks"
)

// maxText bounds a text of the captain's in the journal, in bytes.
const maxText = 8 << 10

// Options say what a Captain uses of its voyage.
type Options struct {
	*core.Core
	Grants gosync.Locker // while it is held, no ship claims a task
	Merges turn.Turn     // while it is held, no approved work is merged

	Claims
	Tell      func(ship, text string) bool // sends an agent a message, and reports whether the agent gets it
	HeadMoved func(commit string)          // records where the branch is
}

// Claims say how claims end against their owners' will.
type Claims struct {
	Seize    func(ctx context.Context, t *tasks.State) (kept string, release func(), err error) // locks a task against its ship, merges and claims, and parks its work
	Merged   func(ctx context.Context, t *tasks.State) (bool, error)                            // completes a claim whose work is on the branch already
	TakeAway func(by rights.Actor, t *tasks.State, kept string, r tasks.Requeue) error          // ends a claim and requeues the task
	SendBack func(by rights.Actor, t *tasks.State, why string, rejected bool) error             // returns work in review to its ship
	Reopen   func(ctx context.Context, by rights.Actor, t *tasks.State, why string) error       // makes a completed task open again
}

// Captain carries out the captain's decisions. Its methods are safe for concurrent use.
type Captain struct {
	Options
	deciding turn.Turn    // held while a proposal or a revert is decided about
	parents  gosync.Mutex // held while tasks that consist of others are taken over, or get parts
}

// New returns a Captain.
func New(o Options) *Captain { return &Captain{Options: o, deciding: turn.New()} }
