package helm

import (
	"time"

	"ocaptain/fleet/agent"
)

// hold keeps back the ships of a voyage that run the same agent, and so share its
// login, after one of them was stopped by a limit or by errors of the service. When
// the time has come one ship tries; the others follow, one by one, when it works.
//
// It is kept in the voyage's journal, whole, at every change. Its methods depend on
// nothing but their arguments; luck, from 0 to 1, spreads ships and hubs over time.
type hold struct {
	Agent string            `json:"agent"`
	Cause agent.TroubleKind `json:"cause"`
	Why   string            `json:"why"`
	Since time.Time         `json:"since"`
	Until time.Time         `json:"until,omitzero"` // when it passes, by the agent's word
	Next  time.Time         `json:"next"`           // the next try
	Tries int               `json:"tries,omitempty"`
	Ship  string            `json:"ship,omitempty"` // that tries now, since Tried
	Tried time.Time         `json:"tried,omitzero"`
	Free  bool              `json:"free,omitempty"` // one works again and the others follow, or none of them can try
	Over  bool              `json:"over,omitempty"` // nobody is held any more
}

// The rhythm of tries.
const (
	firstPause = 15 * time.Second
	mostPause  = 10 * time.Minute
	tryTime    = 15 * time.Minute // an agent tries by itself for some minutes before it tells of a failure
	resetSlack = time.Minute      // resets are told without their seconds
)

// pauseAfter is how long to wait after so many tries in a row that failed.
func pauseAfter(tries int, luck float64) time.Duration {
	d := min(mostPause, firstPause<<min(max(tries, 0), 10))
	return time.Duration(float64(d) * (0.8 + 0.4*luck))
}

// stagger is the time between two ships that follow.
func stagger(luck float64) time.Duration {
	return time.Second + time.Duration(luck*float64(2*time.Second))
}

// stopped takes in that a ship was stopped, for the first time or again after a try.
func (h *hold) stopped(now time.Time, ship string, t agent.Trouble, again bool, luck float64) {
	fresh := h.Next.IsZero()
	if fresh {
		h.Since = now
	}
	if fresh || h.Cause != agent.TroubleUsage || t.Kind == agent.TroubleUsage {
		h.Cause, h.Why, h.Until = t.Kind, t.Why, t.Until
	}
	if again {
		h.Tries++
	}
	due := now.Add(pauseAfter(h.Tries, luck))
	if reset := t.Until.Add(resetSlack + time.Duration(luck*float64(10*time.Second))); !t.Until.IsZero() && reset.After(due) {
		due = reset
	}
	if fresh || again || h.Free || !t.Until.IsZero() && due.After(h.Next) {
		h.Next, h.Free = due, false
	}
	if h.Ship == ship {
		h.Ship = ""
	}
}

// worked takes in that a ship which was held works again.
func (h *hold) worked(now time.Time, luck float64) {
	h.Free, h.Tries, h.Ship = true, 0, ""
	h.Next = now.Add(stagger(luck))
}

// left takes in that none of the ships that are held can try: whoever has work finds out
// whether it is over.
func (h *hold) left(now time.Time, luck float64) {
	h.Free, h.Ship = true, ""
	h.Next = now.Add(stagger(luck))
}

// gone takes in that a ship which may have been trying will tell no result.
func (h *hold) gone(now time.Time, ship string, luck float64) {
	if h.Ship == ship {
		h.Ship = ""
		h.Next = now.Add(pauseAfter(h.Tries, luck))
	}
}

// due reports whether a ship should be told to go on now.
func (h *hold) due(now time.Time) bool {
	return !now.Before(h.Next) && (h.Ship == "" || now.Sub(h.Tried) > tryTime)
}

// told takes in that a ship is being told to go on.
func (h *hold) told(now time.Time, ship string, luck float64) {
	if h.Free {
		h.Next = now.Add(stagger(luck))
		return
	}
	h.Ship, h.Tried = ship, now
}

// bars reports whether no ship of the agent should begin anything new. A limit of the
// account stops all of them; errors of the service may not.
func (h *hold) bars() bool { return h != nil && h.Cause == agent.TroubleUsage && !h.Free }
