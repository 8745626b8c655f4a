// Package captain carries out what the captain decides about the tasks of a voyage: he edits, adds, splits, cancels and reverts tasks, and decides
// about plans, reviews and proposals.
package captain

import (
	gosync "sync"

	"ocaptain/fleet/helm/claims"
	"ocaptain/fleet/helm/core"
	"ocaptain/fleet/helm/review"
	"ocaptain/fleet/turn"
)

// Options say what a Captain needs from its voyage.
type Options struct {
	*core.Core
	Claims *claims.Claims
	Review *review.Review
	Tell   func(ship, text string) bool // sends an agent a message, and reports whether the agent gets it
}

// Captain carries out the captain's decisions. Its methods are safe for concurrent use.
type Captain struct {
	Options
	deciding turn.Turn    // held while a proposal or a revert is decided about
	parents  gosync.Mutex // held while the coordinator claims tasks with parts, or tasks get parts
}

// New returns a Captain.
func New(o Options) *Captain { return &Captain{Options: o, deciding: turn.New()} }
