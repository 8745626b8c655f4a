// Package work carries out what ships ask about tasks: they claim a task, complete it, give it back, break it down or review it.
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

// Options say what Work uses of its voyage, beside what all rooms use.
type Options struct {
	*core.Core
	Claims  *claims.Claims
	Review  *review.Review
	Captain *captain.Captain
	Tree    *livetree.Tree

	Share func(ctx context.Context, done tasks.Completion) error // brings work that is handed in to where a validator of any hub gets it
}

// Work carries out what the ships of one voyage ask. Its methods are safe for concurrent use.
type Work struct{ Options }

// New returns the Work of a voyage.
func New(o Options) *Work { return &Work{o} }

// mark records how a dispatch stands, with what its ship has used so far.
func (w *Work) mark(kind string, m dispatch.Mark) {
	m.Usage = w.Spending.Used(m.Ship)
	w.Records.Mark(kind, m)
}
