// Package watchman carries out the guards of a voyage: it looks how old ships are and how long they are idle, warns the captain, and sinks ships
// where he wants that.
package watchman

import (
	"cmp"
	"sync"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/guard"
	"ocaptain/fleet/helm/core"
	"ocaptain/fleet/helm/facts"
	"ocaptain/fleet/helm/fit"
	"ocaptain/fleet/provider/registry"
	"ocaptain/fleet/resolve"
	"ocaptain/fleet/retry"
)

// Options say what a Watchman needs from its voyage.
type Options struct {
	*core.Core
	Fit *fit.Fit

	Ships func(now time.Time) map[string]Ship // returns all ships of the fleet
	// Leave keeps a ship from taking tasks if judge returns why it must be sunk. has says that the ship has a tree to
	// examine, gone that there is no such ship.
	Leave func(name string, judge func(*fleet.Ship, Ship) string) (why string, has, gone bool)
	Stay  func(name string)      // lets a ship take tasks again
	Empty func(name string) bool // looks at a ship's tree, and reports whether it has no task and no unmerged work
}

// Ship is what a Watchman knows of a ship.
type Ship struct {
	Known     resolve.Known
	Heard     bool // helm has read the ship's earlier reports
	Holds     bool // it holds a task
	Unmerged  fleet.Unmerged
	Claimable bool // there is a task that it may claim
}

// Watchman carries out a voyage's guards. Its methods are safe for concurrent use.
type Watchman struct {
	Options
	mu    sync.Mutex // after the voyage's
	watch facts.Watch
}

// New returns a Watchman that has seen nothing.
func New(o Options) *Watchman { return &Watchman{Options: o} }

// Why returns the warning to the captain about a ship, "" for none. The ship "" stands for the voyage.
func (w *Watchman) Why(ship string) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.watch.Why(ship)
}

// Run looks at the ships until the voyage's work ends.
func (w *Watchman) Run() {
	every := guard.Interval(w.Guards)
	for retry.Sleep(w.Context, every) == nil {
		w.Look(time.Now(), every)
	}
}

// Look judges the ships now, tells the captain about new warnings, and begins to sink ships that the guards want
// sunk. every is the time between two calls.
func (w *Watchman) Look(now time.Time, every time.Duration) {
	ships := w.Ships(now)
	guards, doubt := w.GuardsNow()
	w.mu.Lock()
	defer w.mu.Unlock()
	seen := w.watch.Begin(now, every)
	look := facts.Seen{Why: map[string]string{}, Acts: map[string]time.Time{}, Sink: map[string]string{}}
	w.Roster.Look(func(all *fleet.Fleet) (save bool) {
		for _, f := range all.Ships {
			s, there := ships[f.Name]
			if !there {
				continue // the next look sees it
			}
			is := resolve.Status(now, s.Known).Word
			if s.Heard {
				look.Acts[f.Name] = s.Known.ActAt
				was := f.Idle
				f.Looked(now, seen, is, w.watch.HasActed(f.Name, s.Known.ActAt))
				save = save || was.Truncate(time.Minute) != f.Idle.Truncate(time.Minute) // saved with the next board
			}
			j := guard.JudgeShip(guards, now, w.watched(f, s, is, now, guards))
			if j.Why != "" {
				look.Why[f.Name] = j.Why
			}
			if j.Sink != "" {
				look.Sink[f.Name] = j.Sink
			}
		}
		return save
	})
	if text := cmp.Or(doubt, guard.JudgeVoyage(guards, now, &w.Info, w.Roster.Now().CountOut())); text != "" {
		look.Why[""] = text
	}
	changed, notes, sink := w.watch.End(now, look)
	if changed {
		w.Paint.Send()
	}
	for _, n := range notes {
		w.Notes.Add(n)
	}
	if len(sink) > 0 {
		w.Go(func() { w.sink(sink) })
	}
}

// watched returns what the guards should know of a ship.
func (w *Watchman) watched(f *fleet.Ship, s Ship, is fleet.Word, now time.Time, guards fleet.Guards) guard.Watched {
	return guard.Watched{
		ID: w.Info.ID, Ship: f, Status: is, Voyage: w.Roster.Now().Phase, Holds: s.Holds, Costs: HasCosts(guards, f), Unmerged: s.Unmerged,
		Claimable: s.Claimable && !guard.TooOldForTasks(guards, now, f),
	}
}

// HasCosts reports whether a ship costs: its provider charges for it, or the captain has set a price.
func HasCosts(g fleet.Guards, f *fleet.Ship) bool {
	return g.Prices[f.Provider] > 0 || registry.HasCosts(f.Provider)
}
