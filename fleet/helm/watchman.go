package helm

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/retry"
)

// watch is what helm remembers between two looks at what ships cost. It is guarded by v.mu.
type watch struct {
	at   time.Time            // of the last look, with the clock that stands still while the hub sleeps
	acts map[string]time.Time // newest sign of work of each ship at that look
	why  map[string]string    // why the captain should look, by ship; "" for the voyage

	sinking bool                 // ships are being sunk by the guards
	again   map[string]time.Time // when a ship may be tried again that the guards could not sink
}

// watchman looks again and again at how old ships are and how long they rest, and carries out
// the voyage's guards.
func (v *voyage) watchman() {
	every := v.guards.Interval()
	for retry.Sleep(v.ctx, every) == nil {
		v.keepWatch(time.Now(), every)
	}
}

// keepWatch takes down what is to be seen now, tells the captain what is new, and has ships sunk
// that should be. Time in which helm did not look, as the hub slept, is nobody's rest.
func (v *voyage) keepWatch(now time.Time, every time.Duration) {
	changes(v, func() {
		seen := min(now.Sub(v.watch.at), 2*every)
		if v.watch.at.IsZero() {
			seen = 0
		}
		v.watch.at = now
		guards, doubt := v.guardsNow()
		why, acts, sink := map[string]string{}, map[string]time.Time{}, map[string]string{}
		for _, f := range v.fleet.Ships {
			known := v.knownOf(f)
			is := fleet.Resolve(now, known).Word
			if s := v.ships[f.Name]; s != nil && s.restored {
				before, looked := v.watch.acts[f.Name]
				acts[f.Name] = known.ActAt
				was := f.Idle
				f.Looked(now, seen, is, looked && known.ActAt.After(before))
				if was.Truncate(time.Minute) != f.Idle.Truncate(time.Minute) {
					v.changes++ // to be saved with the next board
				}
			}
			j := guards.JudgeShip(now, v.watched(f, is, now, guards))
			if j.Why != "" {
				why[f.Name] = j.Why
			}
			if j.Sink != "" && !now.Before(v.watch.again[f.Name]) {
				sink[f.Name] = j.Sink
			}
		}
		if text := cmp.Or(doubt, guards.JudgeVoyage(now, &v.info, v.fleet.CountOut())); text != "" {
			why[""] = text
		}
		was := v.watch.why
		v.watch.why, v.watch.acts = why, acts
		if !maps.Equal(was, why) {
			v.requestBoard()
			for _, n := range warnings(was, why) {
				v.addNote(n)
			}
		}
		if len(sink) > 0 && !v.watch.sinking {
			v.watch.sinking = true
			v.jobs.Go(func() { v.guardSink(slices.Sorted(maps.Keys(sink))) })
		}
	})
}

// warnings are what the captain has not been told yet; what holds for several ships is told
// once.
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
	const most = 5
	for _, text := range slices.Sorted(maps.Keys(ships)) {
		names := ships[text]
		switch {
		case len(names) == 1:
			all = append(all, fleet.Note{Ship: names[0], Text: text, Guard: text})
		case len(names) > most:
			all = append(all, fleet.Note{Text: fmt.Sprintf("%s and %d more ships: %s", strings.Join(names[:most], ", "), len(names)-most, text), Guard: text})
		default:
			all = append(all, fleet.Note{Text: strings.Join(names, ", ") + ": " + text, Guard: text})
		}
	}
	return all
}

// watched is what the guards should know of a ship. The caller holds v.mu.
func (v *voyage) watched(f *fleet.Ship, is fleet.Word, now time.Time, guards fleet.Guards) fleet.Watched {
	w := fleet.Watched{ID: v.dir.ID(), Ship: f, Status: is, Voyage: v.fleet.Phase, Holds: v.look().Held(f.Name) != nil}
	if s := v.ships[f.Name]; s != nil {
		w.Unmerged = s.drift
	}
	if v.kind.Closed(v.fleet.Phase) == nil && !guards.TooOldForTasks(now, f) {
		w.Claimable = v.look().First(f.Name, f.Role, now) != ""
	}
	return w
}

// knownOf is what the ship's status is resolved from, without what only the board needs. The
// caller holds v.mu.
func (v *voyage) knownOf(f *fleet.Ship) fleet.Known {
	known := fleet.Known{Ship: *f}
	if s := v.ships[f.Name]; s != nil {
		known = s.knownNow(f)
	}
	if t := v.look().Held(f.Name); t != nil {
		known.Held, known.HeldAt = t.ID, t.ClaimedAt
	}
	known.AllDone = v.look().Done
	return known
}

// knownNow is what is known of the ship, which is f now. The caller holds v.mu.
func (s *ship) knownNow(f *fleet.Ship) fleet.Known {
	known := s.known
	known.Ship = *f
	known.Trouble, known.TroubleAt = s.trouble.Why, s.trouble.Since
	known.Paused = s.v.paused(time.Now())
	known.LeftAlone, known.Ignored = s.prompts.LeftAlone, s.prompts.Ignored()
	return known
}

// barred says why the ship gets no more tasks, nil when it does. The caller holds v.mu.
func (s *ship) barred(now time.Time) error {
	f := s.v.fleet.ShipNamed(s.name)
	guards, _ := s.v.guardsNow()
	switch {
	case s.leaving:
		return fmt.Errorf("%s is being sunk: end your turn", s.name)
	case f != nil && guards.TooOldForTasks(now, f):
		return fmt.Errorf("%s is older than %s and is sunk as soon as its work is home: end your turn", s.name, fleet.FormatSpan(guards.MaxAge))
	}
	return nil
}
