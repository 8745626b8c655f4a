package limits

import (
	"maps"
	"slices"
	"time"

	"ocaptain/fleet/agent/agentlog"
	"ocaptain/fleet/helm/facts"
	"ocaptain/tasks"
)

// Hold keeps back the ships of a voyage that share a login, after a usage limit or errors of the service have stopped
// one of them. When the time comes, one ship tries. Once it works, the others follow one by one.
//
// If only one ship reports a usage limit, only that ship is kept back, since a ship may report anything. Ships at
// work go on; of the ships that would begin something, one begins first. If two ships report a limit, all are kept
// back for a while. Then a ship that has not met the limit tries. If the service answers that ship, the limit applies
// only to the ships that reported it.
//
// The journal gets the whole Hold at every change. The methods do no I/O. luck, from 0 to 1, spreads ships and hubs
// over time.
type Hold struct {
	Login string               `json:"login"`
	Cause agentlog.TroubleKind `json:"cause"`
	Why   string               `json:"why"`
	Since time.Time            `json:"since"`          // when it began, zero once a ship works again
	Until time.Time            `json:"until,omitzero"` // when it ends, according to an agent
	Next  time.Time            `json:"next"`           // when the next ship may try
	Tries int                  `json:"tries,omitempty"`
	Ship  string               `json:"ship,omitempty"` // the ship that has been trying since Tried
	Tried time.Time            `json:"tried,omitzero"`
	Free  bool                 `json:"free,omitempty"` // a ship works again and the others follow, or no ship can try
	Over  bool                 `json:"over,omitempty"` // no ship is kept back any more
	Last  time.Time            `json:"last,omitzero"`  // when the Hold was last changed

	Words map[string]time.Time `json:"words,omitempty"` // when the usage limit ends, by the ship that reported it
	Heard time.Time            `json:"heard,omitzero"`  // when the newest of these ships first met the limit
	Alone bool                 `json:"alone,omitempty"` // the service answered another ship after the newest report
	Probe string               `json:"probe,omitempty"` // the ship that has been trying since Asked, to find out whether the limit applies to others
	Asked time.Time            `json:"asked,omitzero"`
}

// Times between tries.
const (
	firstPause = 15 * time.Second // of ships that hear of a limit that only another ship reported
	tryTime    = 15 * time.Minute // an agent may retry by itself for minutes before it reports a failure
	resetSlack = time.Minute      // agents report a reset without its seconds
	FirstProbe = time.Minute
	mostProbe  = time.Hour
	ProbeTime  = 5 * time.Minute // how long one ship has to find out whether the limit applies to it
)

// stagger returns the time between two ships that follow.
func stagger(luck float64) time.Duration {
	return time.Second + time.Duration(luck*float64(2*time.Second))
}

// Stopped records that a ship was stopped, or stopped again after a try. A usage limit of its service lasts at most
// longest.
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
	due := now.Add(facts.PauseAfter(h.Tries, luck))
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

// Believe corrects times that a wrong clock has set. If the last change is in the future of now, all times are moved
// so that they are as far from now as they were from that change.
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

// witness records when the usage limit ends according to a ship. second says that this is the second ship that has
// met it.
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

// agreed returns when the limit ends: the latest time that at least two ships confirm. The report of a single ship
// does not count.
func (h *Hold) agreed() time.Time {
	all := slices.SortedFunc(maps.Values(h.Words), time.Time.Compare)
	if len(all) < 2 {
		return time.Time{}
	}
	return all[len(all)-2]
}

// NextTry returns when the ship may try. Only a ship that reported a limit waits for a limit that no other ship reported, or that was found
// not to apply to others.
func (h *Hold) NextTry(ship string) time.Time {
	if until := h.Words[ship]; (len(h.Words) == 1 || h.Alone) && !until.IsZero() {
		return later(h.Next, until.Add(resetSlack))
	}
	return h.Next
}

// Served records that the service answered a ship that has not met the limit, and reports whether this is new. It means
// that the limit applies only to the ships that reported it. If several ships did, only an answer to a ship that began
// work to find out counts.
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

// Begins records that a ship gets work while it is unknown whether a limit applies to all.
func (h *Hold) Begins(now time.Time, ship string) {
	if h != nil && h.Cause == agentlog.TroubleUsage && len(h.Words) > 0 && !h.Alone && !h.Free {
		h.Probe, h.Asked, h.Last = ship, now, now
	}
}

// Worked records that a ship which was kept back works again. A usage limit that one other ship reported stays in
// force.
func (h *Hold) Worked(now time.Time, ship string, luck float64) {
	h.Free, h.Tries, h.Ship, h.Last, h.Since = true, 0, "", now, time.Time{}
	if _, met := h.Words[ship]; met || len(h.Words) > 1 {
		h.Words = nil
	}
	h.Next = now.Add(stagger(luck))
}

// AllGone records that none of the ships kept back can try: the next ship with work finds out whether the limit has
// ended.
func (h *Hold) AllGone(now time.Time, luck float64) {
	h.Free, h.Ship, h.Last = true, "", now
	h.Next = now.Add(stagger(luck))
}

// NoResultFrom records that a ship which may have been trying will report no result.
func (h *Hold) NoResultFrom(now time.Time, ship string, luck float64) {
	if h.Ship == ship {
		h.Ship, h.Last = "", now
		h.Next = now.Add(facts.PauseAfter(h.Tries, luck))
	}
}

// MayTellNow reports whether helm should tell a ship now to go on.
func (h *Hold) MayTellNow(now time.Time) bool {
	return !now.Before(h.Next) && (h.Ship == "" || now.Sub(h.Tried) > tryTime)
}

// NoteTold records that helm tells a ship to go on.
func (h *Hold) NoteTold(now time.Time, ship string, luck float64) {
	h.Last = now
	if h.Free {
		h.Next = now.Add(stagger(luck))
		return
	}
	h.Ship, h.Tried = ship, now
}

// HoldsBack reports whether the ship should begin nothing new. Once two ships have met a limit of the account, it
// keeps all of its ships back, except for one at a time that finds out whether the limit still applies. Errors of the
// service may affect only some ships.
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
		return true // another ship's turn comes first; a ship that reported nothing has had its own
	}
	return now.Before(h.Heard.Add(probeAfter(len(h.Words))))
}

// probeAfter returns how long the reports of that many ships are believed for the others: the more ships, the longer.
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
