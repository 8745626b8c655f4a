package facts

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"ocaptain/fleet"
)

// Watch is the result of helm's last look at what ships cost. The zero value is that of no look.
type Watch struct {
	at      time.Time            // time of the last look; its monotonic clock stops while the hub sleeps
	acts    map[string]time.Time // the newest sign of work, by ship
	why     map[string]string    // why the captain should look, by ship; the key "" is for the voyage
	again   map[string]time.Time // by ship: when the guards may try again to sink it
	sinking bool
}

// Seen is what helm sees in one look.
type Seen struct {
	Acts map[string]time.Time // the newest sign of work, by ship
	Why  map[string]string    // why the captain should look, by ship; the key "" is for the voyage
	Sink map[string]string    // by ship: why the guards sink it
}

// Begin begins a look; every is the time between looks. It returns for how long helm has watched the ships since the last look, at
// most twice that time, so that the hub's sleep does not count as idle time of ships.
func (w *Watch) Begin(now time.Time, every time.Duration) time.Duration {
	seen := min(now.Sub(w.at), 2*every)
	if w.at.IsZero() {
		seen = 0
	}
	w.at = now
	return seen
}

// HasActed reports whether a ship has worked since the last look, given the time of its newest sign of work.
func (w *Watch) HasActed(ship string, at time.Time) bool {
	before, looked := w.acts[ship]
	return looked && at.After(before)
}

// End ends a look. changed says that reasons have changed. notes tell the captain what is new. sink lists the ships that the guards have to
// sink now, none while they are sinking others.
func (w *Watch) End(now time.Time, is Seen) (changed bool, notes []fleet.Note, sink []string) {
	if changed = !maps.Equal(w.why, is.Why); changed {
		notes = warnings(w.why, is.Why)
	}
	w.why, w.acts = is.Why, is.Acts
	if w.sinking {
		return changed, notes, nil
	}
	for name := range is.Sink {
		if !now.Before(w.again[name]) {
			sink = append(sink, name)
		}
	}
	slices.Sort(sink)
	w.sinking = len(sink) > 0
	return changed, notes, sink
}

// Why returns why the captain should look at a ship, or at the voyage if ship is "".
func (w *Watch) Why(ship string) string { return w.why[ship] }

// LeaveAlone keeps the guards from trying to sink a ship again before a time.
func (w *Watch) LeaveAlone(ship string, until time.Time) { set(&w.again, ship, until) }

// Sunk records that the guards have tried to sink the ships that End returned.
func (w *Watch) Sunk() { w.sinking = false }

// IsSinking reports whether the guards are sinking ships.
func (w *Watch) IsSinking() bool { return w.sinking }

// maxNamed is how many ships a note names.
const maxNamed = 5

// warnings returns a note for each new reason. Ships with the same reason share a note.
func warnings(was, is map[string]string) []fleet.Note {
	ships := map[string][]string{}
	var all []fleet.Note
	for _, name := range slices.Sorted(maps.Keys(is)) {
		switch text := is[name]; {
		case was[name] == text:
		case name == "":
			all = append(all, fleet.Note{Text: text, Guard: text})
		default:
			ships[text] = append(ships[text], name)
		}
	}
	for _, text := range slices.Sorted(maps.Keys(ships)) {
		n := fleet.Note{Guard: text}
		switch names := ships[text]; {
		case len(names) == 1:
			n.Ship, n.Text = names[0], text
		case len(names) > maxNamed:
			n.Text = fmt.Sprintf("%s and %d more ships: %s", strings.Join(names[:maxNamed], ", "), len(names)-maxNamed, text)
		default:
			n.Text = strings.Join(names, ", ") + ": " + text
		}
		all = append(all, n)
	}
	return all
}
