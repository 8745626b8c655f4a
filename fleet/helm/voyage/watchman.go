package voyage

import (
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/kind"
	"ocaptain/fleet/helm/ship"
	"ocaptain/fleet/helm/watchman"
	"ocaptain/fleet/resolve"
)

// newWatchman returns what carries out the voyage's guards.
func newWatchman(v *Voyage) *watchman.Watchman {
	return watchman.New(watchman.Options{
		Core: v.Core, Fit: v.Fit,
		Ships: func(now time.Time) map[string]watchman.Ship {
			return reads(v, func() map[string]watchman.Ship {
				all := map[string]watchman.Ship{}
				for _, f := range v.Roster.Now().Ships {
					all[f.Name] = v.watched(f, now)
				}
				return all
			})
		},
		Leave: func(name string, judge func(*fleet.Ship, watchman.Ship) string) (why string, has, gone bool) {
			return leaveIf(v, name, judge)
		},
		Stay: func(name string) {
			if s := v.shipOf(name); s != nil {
				s.Change(func(is *ship.State) { is.Leaves = false })
			}
		},
		Empty: func(name string) bool {
			s := v.shipOf(name)
			return s != nil && s.IsEmpty()
		},
	})
}

// watched returns what the watchman should know of a ship. The caller holds v.mu.
func (v *Voyage) watched(f *fleet.Ship, now time.Time) watchman.Ship {
	w := watchman.Ship{Known: v.knownOf(f), Holds: v.Look().Held(f.Name) != nil}
	if s := v.ships[f.Name]; s != nil {
		w.Heard, w.Unmerged = s.restored, s.Copies.Now().Unmerged
	}
	if v.Kind.Closed(v.Roster.Now().Phase) == nil {
		w.Claimable = v.Look().First(kind.ShipOf(&v.Info, f), now) != ""
	}
	return w
}

// leaveIf lets a ship take no more tasks if judge returns why it is to be sunk.
func leaveIf(v *Voyage, name string, judge func(*fleet.Ship, watchman.Ship) string) (why string, has, gone bool) {
	changes(v, func() {
		f := v.Roster.Ship(name)
		if gone = f == nil; gone {
			return
		}
		s := v.ships[name]
		if has = f.Phase == fleet.Afloat; has && s == nil {
			return
		}
		if why = judge(f, v.watched(f, time.Now())); why != "" && has {
			s.Change(func(is *ship.State) { is.Leaves = true })
		}
	})
	return why, has, gone
}

// knownOf is what the ship's status is resolved from, without what only the board needs. The
// caller holds v.mu.
func (v *Voyage) knownOf(f *fleet.Ship) resolve.Known {
	known := resolve.Known{Ship: *f}
	if s := v.ships[f.Name]; s != nil {
		known = s.knownNow(f)
	}
	if t := v.Look().Held(f.Name); t != nil {
		known.Held, known.HeldAt = t.ID, t.ClaimedAt
	}
	known.AllDone = v.Look().Done
	return known
}

// knownNow returns the ship's known state; f is its entry in the fleet now. The caller holds v.mu.
func (s *Ship) knownNow(f *fleet.Ship) resolve.Known {
	known := s.known
	known.Ship = *f
	s.Reach.Show(&known)
	trouble := s.State().Trouble
	known.Trouble, known.TroubleAt = trouble.Why, trouble.Since
	known.Paused = s.Paused(time.Now())
	known.LeftAlone, known.Ignored = s.prompts.LeftAlone, s.prompts.Ignored()
	return known
}
