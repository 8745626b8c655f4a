package voyage

import (
	"cmp"
	"fmt"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/guard"
	"ocaptain/fleet/helm/facts"
	"ocaptain/fleet/helm/kind"
	"ocaptain/fleet/provider/registry"
	"ocaptain/fleet/resolve"
	"ocaptain/fleet/retry"
)

// watchman looks again and again at how old ships are and how long they rest, and carries out
// the voyage's guards.
func (v *Voyage) watchman() {
	every := guard.Interval(v.guards)
	for retry.Sleep(v.ctx, every) == nil {
		v.keepWatch(time.Now(), every)
	}
}

// keepWatch takes down what is to be seen now, tells the captain what is new, and has ships sunk that should be.
func (v *Voyage) keepWatch(now time.Time, every time.Duration) {
	changes(v, func() {
		seen := v.watch.Begin(now, every)
		guards, doubt := v.guardsNow()
		look := facts.Seen{Why: map[string]string{}, Acts: map[string]time.Time{}, Sink: map[string]string{}}
		v.roster.Look(func(all *fleet.Fleet) (save bool) {
			for _, f := range all.Ships {
				known := v.knownOf(f)
				is := resolve.Status(now, known).Word
				if s := v.ships[f.Name]; s != nil && s.restored {
					look.Acts[f.Name] = known.ActAt
					was := f.Idle
					f.Looked(now, seen, is, v.watch.HasActed(f.Name, known.ActAt))
					save = save || was.Truncate(time.Minute) != f.Idle.Truncate(time.Minute) // with the next board
				}
				j := guard.JudgeShip(guards, now, v.watched(f, is, now, guards))
				if j.Why != "" {
					look.Why[f.Name] = j.Why
				}
				if j.Sink != "" {
					look.Sink[f.Name] = j.Sink
				}
			}
			return save
		})
		if text := cmp.Or(doubt, guard.JudgeVoyage(guards, now, &v.info, v.roster.Now().CountOut())); text != "" {
			look.Why[""] = text
		}
		changed, notes, sink := v.watch.End(now, look)
		if changed {
			v.requestBoard()
		}
		for _, n := range notes {
			v.notes.Add(n)
		}
		if len(sink) > 0 {
			v.jobs.Go(func() { v.guardSink(sink) })
		}
	})
}

// watched is what the guards should know of a ship. The caller holds v.mu.
func (v *Voyage) watched(f *fleet.Ship, is fleet.Word, now time.Time, guards fleet.Guards) guard.Watched {
	w := guard.Watched{ID: v.dir.ID(), Ship: f, Status: is, Voyage: v.roster.Now().Phase, Holds: v.look().Held(f.Name) != nil, Costs: hasCosts(guards, f)}
	if s := v.ships[f.Name]; s != nil {
		w.Unmerged = s.copies.Now().Unmerged
	}
	if v.kind.Closed(v.roster.Now().Phase) == nil && !guard.TooOldForTasks(guards, now, f) {
		w.Claimable = v.look().First(kind.ShipOf(&v.info, f), now) != ""
	}
	return w
}

// hasCosts reports whether a ship costs: its provider charges for it, or the captain has set a price.
func hasCosts(g fleet.Guards, f *fleet.Ship) bool {
	return g.Prices[f.Provider] > 0 || registry.HasCosts(f.Provider)
}

// knownOf is what the ship's status is resolved from, without what only the board needs. The
// caller holds v.mu.
func (v *Voyage) knownOf(f *fleet.Ship) resolve.Known {
	known := resolve.Known{Ship: *f}
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
func (s *Ship) knownNow(f *fleet.Ship) resolve.Known {
	known := s.known
	known.Ship = *f
	s.reach.Show(&known)
	known.Trouble, known.TroubleAt = s.trouble.Why, s.trouble.Since
	known.Paused = s.paused(time.Now())
	known.LeftAlone, known.Ignored = s.prompts.LeftAlone, s.prompts.Ignored()
	return known
}

// barred says why the ship gets no new tasks, nil when it does. The caller holds v.mu.
func (s *Ship) barred(now time.Time) error {
	f := s.v.roster.Ship(s.name)
	guards, _ := s.v.guardsNow()
	switch {
	case s.leaving:
		return fmt.Errorf("%s is being sunk: end your turn", s.name)
	case f != nil && guard.TooOldForTasks(guards, now, f):
		return fmt.Errorf("%s is older than %s and is sunk as soon as its work is home: end your turn", s.name, fleet.FormatSpan(guards.MaxAge))
	}
	return nil
}
