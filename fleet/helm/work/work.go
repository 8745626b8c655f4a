// Package work carries out the requests of ships about tasks: to claim a task, complete it, release it, break it down
// or review it.
package work

import (
	"context"

	"ocaptain/fleet/dispatch"
	"ocaptain/fleet/helm/captain"
	"ocaptain/fleet/helm/claims"
	"ocaptain/fleet/helm/core"
	"ocaptain/fleet/helm/livetree"
	"ocaptain/fleet/helm/review"
	"ocaptain/tasks"
)

// Options say what Work needs from its voyage besides the Core.
type Options struct {
	*core.Core
	Claims  *claims.Claims
	Review  *review.Review
	Captain *captain.Captain
	Tree    *livetree.Tree

	Share func(ctx context.Context, done tasks.Completion) error // makes handed-in work available to the validators of all hubs
}

// Work carries out the requests of one voyage's ships. Its methods are safe for concurrent use.
type Work struct{ Options }

// New returns the Work of a voyage.
func New(o Options) *Work { return &Work{o} }

// mark records the state of a dispatch, with what its ship has used so far.
func (w *Work) mark(kind string, m dispatch.Mark) {
	m.Usage = w.Spending.Used(m.Ship)
	w.Records.Mark(kind, m)
}
