package transcript

import (
	"context"
	"math"
	"time"

	"ocaptain/fleet/agent/agentlog"

	"github.com/gofrs/flock"

	"ocaptain/fleet/aboard/shipdir"
	"ocaptain/fleet/proto"
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

	Conversation proto.Conversation `json:"conversation,omitzero"` // that is under way
}

// Told is what a session tells of itself.
type Told struct {
	Session string
	File    string  // its transcript
	USD     float64 // that it has cost
	proto.Conversation
}

// costFile is alone in its directory but for what the tail keeps, which watches it.
func costFile(h shipdir.Dir) string { return h.Usage("cost.json") }

// Cost is what the ship's agent has cost, 0 if no agent reports it.
func Cost(h shipdir.Dir) float64 {
	var s spent
	_ = shipdir.ReadJSON(costFile(h), &s)
	return s.USD
}

// Conversation is how long the current conversation is, as its agent reports; zero if it does not.
func Conversation(h shipdir.Dir) proto.Conversation {
	var s spent
	_ = shipdir.ReadJSON(costFile(h), &s)
	return s.Conversation
}

// Spend adds what is new in a session's cost to that of the ship, and keeps how long its conversation is.
func Spend(ctx context.Context, h shipdir.Dir, told Told) {
	if told.USD < 0 || math.IsInf(told.USD, 0) || math.IsNaN(told.USD) {
		return
	}
	lock := flock.New(h.Usage("cost.lock"))
	if got, err := lock.TryLockContext(ctx, 10*time.Millisecond); err != nil || !got {
		return // it is told again
	}
	defer func() { _ = lock.Unlock() }()
	var s spent
	_ = shipdir.ReadJSON(costFile(h), &s)
	if s.Session == told.Session && s.Told == told.USD && s.Conversation == told.Conversation {
		return
	}
	s.USD += told.USD - s.before(told.Session, told.File, told.USD)
	s.Session, s.Told, s.Conversation = told.Session, told.USD, told.Conversation
	_ = shipdir.WriteJSON(costFile(h), s)
}

// before is the part of a session's cost that was counted already.
func (s spent) before(session, file string, told float64) float64 {
	if s.Session == session && told >= s.Told {
		return s.Told
	}
	if saved := agentlog.ClaudeSavedCost(file); saved > 0 {
		return min(saved, told) // taken up again, where it was written down
	}
	if s.Session != session && told >= s.Told {
		return s.Told // a fork
	}
	return 0
}
