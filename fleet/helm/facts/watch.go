package facts

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"ocaptain/fleet"
)

// Watch is what helm saw when it last looked at what ships cost. The zero value has seen nothing.
type Watch struct {
	at      time.Time            // of the look, with the clock that stands still while the hub sleeps
	acts    map[string]time.Time // newest sign of work of each ship
	why     map[string]string    // why the captain should look, by ship; "" for the voyage
	again   map[string]time.Time // when the guards may try again to sink a ship, by ship
	sinking bool
}

// Seen is a look at what ships cost.
type Seen struct {
	Acts map[string]time.Time // newest sign of work of each ship
	Why  map[string]string    // why the captain should look, by ship; "" for the voyage
	Sink map[string]string    // why a ship is to be sunk, by ship
}

// Begin begins a look; looks are due every so often. It returns how long helm has watched the ships since the last look, at most twice
// that: ships do not rest while the hub sleeps.
func (w *Watch) Begin(now time.Time, every time.Duration) time.Duration {
	seen := min(now.Sub(w.at), 2*every)
	if w.at.IsZero() {
		seen = 0
	}
	w.at = now
	return seen
}

// HasActed reports whether a ship has worked since the last look, if its newest sign of work is of at.
func (w *Watch) HasActed(ship string, at time.Time) bool {
	before, looked := w.acts[ship]
	return looked && at.After(before)
}

// End ends a look. It reports whether the reasons have changed, and returns what is new to the captain, and the ships that the guards are to
// sink now: none while they sink others.
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

// Why returns why the captain should look at a ship, "" for the voyage.
func (w *Watch) Why(ship string) string { return w.why[ship] }

// LeaveAlone has the guards try no earlier than until to sink a ship once more.
func (w *Watch) LeaveAlone(ship string, until time.Time) { set(&w.again, ship, until) }

// Sunk takes in that the guards have tried to sink the ships that End named.
func (w *Watch) Sunk() { w.sinking = false }

// IsSinking reports whether the guards sink ships.
func (w *Watch) IsSinking() bool { return w.sinking }

// maxNamed is how many ships a note names.
const maxNamed = 5

// warnings returns a note for each reason that is new. Ships with the same reason share a note.
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
