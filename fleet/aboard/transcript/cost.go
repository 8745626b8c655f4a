package transcript

import (
	"context"
	"math"
	"time"

	"github.com/gofrs/flock"

	"ocaptain/fleet/aboard/shipdir"
	"ocaptain/fleet/agent"
)

// What Claude Code 2.1.329 tells its status line, as found by running it: the cost of the
// session so far, at its start and after every answer, subagents and compactions included. It
// goes on through --resume from what the session wrote down at its last orderly end, which is 0
// after a kill -9; a fork goes on from the session that it came from; /clear begins at 0.

// spent is the file in which the cost is kept.
type spent struct {
	Session string  `json:"session"` // that told it last
	Told    float64 `json:"told"`    // as it told it
	USD     float64 `json:"usd"`     // of all sessions
}

// costFile is alone in its directory but for what the tail keeps, which watches it.
func costFile(h shipdir.Dir) string { return h.Usage("cost.json") }

// Cost is what the ship's agent has cost, 0 when nobody told.
func Cost(h shipdir.Dir) float64 {
	var s spent
	_ = shipdir.ReadJSON(costFile(h), &s)
	return s.USD
}

// Spend adds what is new in a session's cost to that of the ship. told is what the session says that it has cost, and
// file is its transcript.
func Spend(ctx context.Context, h shipdir.Dir, session, file string, told float64) {
	if told < 0 || math.IsInf(told, 0) || math.IsNaN(told) {
		return
	}
	lock := flock.New(h.Usage("cost.lock"))
	if got, err := lock.TryLockContext(ctx, 10*time.Millisecond); err != nil || !got {
		return // it is told again
	}
	defer func() { _ = lock.Unlock() }()
	var s spent
	_ = shipdir.ReadJSON(costFile(h), &s)
	if s.Session == session && s.Told == told {
		return
	}
	s.USD += told - s.before(session, file, told)
	s.Session, s.Told = session, told
	_ = shipdir.WriteJSON(costFile(h), s)
}

// before is the part of a session's cost that was counted already.
func (s spent) before(session, file string, told float64) float64 {
	if s.Session == session && told >= s.Told {
		return s.Told
	}
	if saved := agent.ClaudeSavedCost(file); saved > 0 {
		return min(saved, told) // taken up again, where it was written down
	}
	if s.Session != session && told >= s.Told {
		return s.Told // a fork
	}
	return 0
}
