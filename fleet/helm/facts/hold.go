package facts

import (
	"maps"
	"slices"
	"time"

	"ocaptain/fleet/agent/agentlog"

	"ocaptain/tasks"
)

// Hold keeps back ships of a voyage that share a login, after one of them was stopped by
// a limit or by errors of the service. When the time has come one ship tries; the others
// follow, one by one, when it works.
//
// The word of one ship about a usage limit holds that ship alone: ships may say anything.
// Ships at work go on; of the ships that would begin something, one begins first. What two
// ships say holds all of them for a while. Then a ship that never met the limit finds out
// whether it holds, and if that ship is served, the words hold only the ships that said them.
//
// It is kept in the voyage's journal, whole, at every change. Its methods depend on
// nothing but their arguments; luck, from 0 to 1, spreads ships and hubs over time.
type Hold struct {
	Login string               `json:"login"`
	Cause agentlog.TroubleKind `json:"cause"`
	Why   string               `json:"why"`
	Since time.Time            `json:"since"`          // when it began, zero once one works again
	Until time.Time            `json:"until,omitzero"` // when it passes, by the agent's word
	Next  time.Time            `json:"next"`           // the next try
	Tries int                  `json:"tries,omitempty"`
	Ship  string               `json:"ship,omitempty"` // that tries now, since Tried
	Tried time.Time            `json:"tried,omitzero"`
	Free  bool                 `json:"free,omitempty"` // one works again and the others follow, or none of them can try
	Over  bool                 `json:"over,omitempty"` // no ship is held any more
	Last  time.Time            `json:"last,omitzero"`  // when something was last taken in

	Words map[string]time.Time `json:"words,omitempty"` // when the usage limit passes, by the ships that met it
	Heard time.Time            `json:"heard,omitzero"`  // when the newest of these ships met it first
	Alone bool                 `json:"alone,omitempty"` // another ship was served after these words
	Probe string               `json:"probe,omitempty"` // ship that finds out whether that word holds for others, since Asked
	Asked time.Time            `json:"asked,omitzero"`
}

// The rhythm of tries.
const (
	firstPause = 15 * time.Second
	mostPause  = 10 * time.Minute
	tryTime    = 15 * time.Minute // an agent tries by itself for some minutes before it tells of a failure
	resetSlack = time.Minute      // resets are told without their seconds
	FirstProbe = time.Minute
	mostProbe  = time.Hour
	ProbeTime  = 5 * time.Minute // for one ship to find out whether a limit holds it
)

// PauseAfter is how long to wait after so many tries in a row that failed.
func PauseAfter(tries int, luck float64) time.Duration {
	d := min(mostPause, firstPause<<min(max(tries, 0), 10))
	return time.Duration(float64(d) * (0.8 + 0.4*luck))
}

// stagger is the time between two ships that follow.
func stagger(luck float64) time.Duration {
	return time.Second + time.Duration(luck*float64(2*time.Second))
}

// Stopped takes in that a ship was stopped, for the first time or again after a try. No
// usage limit of its service lasts longer than longest.
func (h *Hold) Stopped(now time.Time, ship string, t agentlog.Trouble, again bool, longest time.Duration, luck float64) {
	fresh := h.Next.IsZero()
	h.Last = now
	if fresh || h.Since.IsZero() {
		h.Since = now
	}
	if fresh || h.Cause != agentlog.TroubleUsage || t.Kind == agentlog.TroubleUsage {
		h.Cause, h.Why, h.Until = t.Kind, t.Why, t.Until
	}
	if again {
		h.Tries++
	}
	until, second := t.Until, false
	if most := now.Add(longest); until.After(most) {
		until = most
	}
	if t.Kind == agentlog.TroubleUsage {
		second = h.witness(now, ship, until)
		until = h.agreed()
	}
	due := now.Add(PauseAfter(h.Tries, luck))
	if reset := until.Add(resetSlack + time.Duration(luck*float64(10*time.Second))); !until.IsZero() && reset.After(due) {
		due = reset
	}
	if fresh || again || second || h.Free || !until.IsZero() && due.After(h.Next) {
		h.Next, h.Free = due, false
	}
	if h.Ship == ship {
		h.Ship = ""
	}
}

// Believe takes in what time it is. What was last taken in at a time that is still to come was taken in by
// a wrong clock: its times are as far from now as they were from then.
func (h *Hold) Believe(now time.Time) {
	by := h.Last.Sub(now)
	if by <= tasks.MostStep {
		return
	}
	for _, t := range []*time.Time{&h.Since, &h.Until, &h.Next, &h.Tried, &h.Heard, &h.Asked, &h.Last} {
		if !t.IsZero() {
			*t = t.Add(-by)
		}
	}
	for ship, until := range h.Words {
		h.Words[ship] = until.Add(-by)
	}
}

// witness notes when a ship says that the usage limit passes, and reports whether it is the second
// ship that has met it.
func (h *Hold) witness(now time.Time, ship string, until time.Time) (second bool) {
	before := len(h.Words)
	if _, met := h.Words[ship]; !met {
		h.Heard = now
		if before > 0 {
			h.Alone, h.Probe = false, ""
		}
	}
	if h.Words == nil {
		h.Words = map[string]time.Time{}
	}
	h.Words[ship] = until
	return before == 1 && len(h.Words) == 2
}

// agreed is until when the limit lasts: the latest time that two ships stand for. The only
// word there is says nothing of the others.
func (h *Hold) agreed() time.Time {
	all := slices.SortedFunc(maps.Values(h.Words), time.Time.Compare)
	if len(all) < 2 {
		return time.Time{}
	}
	return all[len(all)-2]
}

// NextTry is when the ship may try. A usage limit that only this ship has told of, or that was found not to hold other ships, puts its try
// off.
func (h *Hold) NextTry(ship string) time.Time {
	if until := h.Words[ship]; (len(h.Words) == 1 || h.Alone) && !until.IsZero() {
		return later(h.Next, until.Add(resetSlack))
	}
	return h.Next
}

// Served records that a ship which never met the limit is served, and reports whether that is news:
// then the ships that met it spoke only of their own limits. Against several such ships, only a
// ship counts that began work to find out.
func (h *Hold) Served(now time.Time, ship string) bool {
	if _, met := h.Words[ship]; met || len(h.Words) == 0 || len(h.Words) > 1 && h.Probe != ship || h.Alone {
		return false
	}
	h.Alone, h.Probe, h.Last = true, "", now
	if soon := now.Add(firstPause); h.Next.After(soon) {
		h.Next = soon
	}
	return true
}

// Begins records that a ship gets work while it is in doubt whether a limit holds all.
func (h *Hold) Begins(now time.Time, ship string) {
	if h != nil && h.Cause == agentlog.TroubleUsage && len(h.Words) > 0 && !h.Alone && !h.Free {
		h.Probe, h.Asked, h.Last = ship, now, now
	}
}

// Worked takes in that a ship which was held works again. What another one alone says about a
// usage limit stands.
func (h *Hold) Worked(now time.Time, ship string, luck float64) {
	h.Free, h.Tries, h.Ship, h.Last, h.Since = true, 0, "", now, time.Time{}
	if _, met := h.Words[ship]; met || len(h.Words) > 1 {
		h.Words = nil
	}
	h.Next = now.Add(stagger(luck))
}

// AllGone takes in that no held ship can try: the next ship with work finds out whether the
// limit is over.
func (h *Hold) AllGone(now time.Time, luck float64) {
	h.Free, h.Ship, h.Last = true, "", now
	h.Next = now.Add(stagger(luck))
}

// NoResultFrom takes in that a ship which may have been trying will tell no result.
func (h *Hold) NoResultFrom(now time.Time, ship string, luck float64) {
	if h.Ship == ship {
		h.Ship, h.Last = "", now
		h.Next = now.Add(PauseAfter(h.Tries, luck))
	}
}

// MayTellNow reports whether a ship should be told to go on now.
func (h *Hold) MayTellNow(now time.Time) bool {
	return !now.Before(h.Next) && (h.Ship == "" || now.Sub(h.Tried) > tryTime)
}

// NoteTold takes in that a ship is being told to go on.
func (h *Hold) NoteTold(now time.Time, ship string, luck float64) {
	h.Last = now
	if h.Free {
		h.Next = now.Add(stagger(luck))
		return
	}
	h.Ship, h.Tried = ship, now
}

// HoldsBack reports whether the ship should begin nothing new. A limit of the account stops all of
// its ships once two have met it, but for one at a time that finds out whether it still does;
// errors of the service may not.
func (h *Hold) HoldsBack(now time.Time, ship string) bool {
	if h == nil || h.Cause != agentlog.TroubleUsage || h.Free || len(h.Words) == 0 {
		return false
	}
	if _, met := h.Words[ship]; met {
		return true
	}
	if h.Alone {
		return false
	}
	if age := now.Sub(h.Asked); h.Probe != "" && age < 2*ProbeTime && (age < ProbeTime) != (h.Probe == ship) {
		return true // another ship's turn comes first: a ship that reported nothing had its own
	}
	return now.Before(h.Heard.Add(probeAfter(len(h.Words))))
}

// probeAfter is how long what so many ships say is believed of the others: the more there are, the longer.
func probeAfter(words int) time.Duration {
	if words < 2 {
		return 0
	}
	return min(mostProbe, FirstProbe<<min(words-2, 10))
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
