package aboard

import (
	"context"
	"encoding/json"
	"math"
	"strings"
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

// costOf is what the ship's agent has cost, 0 when nobody told.
func costOf(h shipdir.Dir) float64 {
	var s spent
	_ = shipdir.ReadJSON(costFile(h), &s)
	return s.USD
}

// statusLine keeps the cost and says what the ship is about, for whoever is attached.
func (k *hook) statusLine(ctx context.Context) outcome {
	var cost struct {
		USD *float64 `json:"total_cost_usd"`
	}
	if json.Unmarshal(k.in.Cost, &cost) == nil && cost.USD != nil && k.in.Session != "" {
		k.spend(ctx, *cost.USD)
	}
	words := []string{k.ship.Name, k.ship.Voyage}
	ctx, cancel := context.WithTimeout(ctx, 300*time.Millisecond)
	defer cancel()
	var h shipdir.Held
	if shipdir.AskOnce(ctx, k.home, shipdir.MethodHeld, shipdir.HeldRequest{}, &h) == nil && len(h.Tasks) > 0 {
		words = []string{k.ship.Name, "task " + list(h.Tasks), k.ship.Voyage}
	}
	return outcome{stdout: strings.Join(words, " · ") + "\n"}
}

// spend adds what is new in a session's cost to that of the ship.
func (k *hook) spend(ctx context.Context, told float64) {
	if told < 0 || math.IsInf(told, 0) || math.IsNaN(told) {
		return
	}
	lock := flock.New(k.home.Usage("cost.lock"))
	if got, err := lock.TryLockContext(ctx, 10*time.Millisecond); err != nil || !got {
		return // the next line tells it too
	}
	defer func() { _ = lock.Unlock() }()
	var s spent
	_ = shipdir.ReadJSON(costFile(k.home), &s)
	if s.Session == k.in.Session && s.Told == told {
		return
	}
	s.USD += told - k.spentBefore(s, told)
	s.Session, s.Told = k.in.Session, told
	_ = shipdir.WriteJSON(costFile(k.home), s)
}

// spentBefore is the part of a session's cost that was counted already.
func (k *hook) spentBefore(s spent, told float64) float64 {
	if s.Session == k.in.Session && told >= s.Told {
		return s.Told
	}
	if saved := agent.ClaudeSavedCost(k.in.File); saved > 0 {
		return min(saved, told) // taken up again, where it was written down
	}
	if s.Session != k.in.Session && told >= s.Told {
		return s.Told // a fork
	}
	return 0
}

// transcribed reports whether what the agent says and does is read from its transcripts, so
// that hooks need not log it.
func (k *hook) transcribed() bool {
	a, err := agent.Find(k.ship.Agent, k.ship.Custom)
	return err == nil && a.Transcript != nil
}
