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

// How Claude Code 2.1.329 reports costs to its status line, as observed: it reports the cost of the session so far,
// at its start and after every answer, subagents and compactions included. After --resume it continues from the cost
// that it saved when the session last ended normally, which is 0 after a kill -9. A fork continues from the session
// that it came from. /clear begins at 0.

// spent is the file that holds the cost.
type spent struct {
	Session string  `json:"session"` // the session that last reported its cost
	Told    float64 `json:"told"`    // the cost that it reported
	USD     float64 `json:"usd"`     // the cost of all sessions

	Conversation proto.Conversation `json:"conversation,omitzero"` // the current conversation
}

// Told is what a session reports about itself.
type Told struct {
	Session string
	File    string  // path of its transcript
	USD     float64 // its cost
	proto.Conversation
}

// costFile is the only file in its directory, except for the state of the tail, which watches the directory.
func costFile(h shipdir.Dir) string { return h.Usage("cost.json") }

// Cost returns what the ship's agent has cost in US dollars, 0 if the agent does not report it.
func Cost(h shipdir.Dir) float64 {
	var s spent
	_ = shipdir.ReadJSON(costFile(h), &s)
	return s.USD
}

// Conversation returns the length of the current conversation as its agent reports it; zero if it does not.
func Conversation(h shipdir.Dir) proto.Conversation {
	var s spent
	_ = shipdir.ReadJSON(costFile(h), &s)
	return s.Conversation
}

// Spend adds the new part of a session's cost to the cost of the ship, and records the length of its conversation.
func Spend(ctx context.Context, h shipdir.Dir, told Told) {
	if told.USD < 0 || math.IsInf(told.USD, 0) || math.IsNaN(told.USD) {
		return
	}
	lock := flock.New(h.Usage("cost.lock"))
	if got, err := lock.TryLockContext(ctx, 10*time.Millisecond); err != nil || !got {
		return // the session will report it again
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

// before returns the part of a session's cost that was counted already.
func (s spent) before(session, file string, told float64) float64 {
	if s.Session == session && told >= s.Told {
		return s.Told
	}
	if saved := agentlog.ClaudeSavedCost(file); saved > 0 {
		return min(saved, told) // resumed, from the saved cost
	}
	if s.Session != session && told >= s.Told {
		return s.Told // forked
	}
	return 0
}
