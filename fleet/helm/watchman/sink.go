package watchman

import (
	"sync"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/clean"
	"ocaptain/fleet/guard"
	"ocaptain/fleet/resolve"
)

// pause is how long a ship that could not be sunk is left alone.
const pause = time.Minute

// sink sinks ships that the guards have named. A ship that has unmerged work when it is looked at, or should not be sunk any more, stays. A
// verified voyage is sunk with its last ship.
func (w *Watchman) sink(names []string) {
	defer func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.watch.Sunk()
	}()
	if w.Fit.Busy.Lock(w.Context) != nil {
		return
	}
	defer w.Fit.Busy.Unlock()
	var all sync.WaitGroup
	for _, name := range names {
		all.Go(func() {
			if w.sinkShip(name) {
				return
			}
			w.mu.Lock()
			defer w.mu.Unlock()
			w.watch.LeaveAlone(name, time.Now().Add(pause))
		})
	}
	all.Wait()
	w.Fit.SinkEmpty()
}

// sinkShip sinks a ship, and reports whether it is gone.
func (w *Watchman) sinkShip(name string) bool {
	guards, _ := w.GuardsNow()
	why, has, gone := w.Leave(name, func(f *fleet.Ship, s Ship) string { // the ship may have changed since it was named
		now := time.Now()
		return guard.JudgeShip(guards, now, w.watched(f, s, resolve.Status(now, s.Known).Word, now, guards)).Sink
	})
	if why == "" {
		return gone
	}
	if has && !w.Empty(name) {
		w.Stay(name)
		return false
	}
	began := time.Now()
	if err := w.Fit.RemoveNow(name); err != nil {
		if w.Context.Err() == nil {
			w.Notes.Add(fleet.Note{Ship: name, Text: "could not be sunk (" + why + "), and may cost on; " + fleet.UntilGone + ": " + clean.Bound(err.Error(), clean.MaxText)})
		}
		return false
	}
	w.Log.Info("sunk by a guard", "ship", name, "why", why, "took", time.Since(began))
	w.Notes.Add(fleet.Note{Ship: name, Text: "was sunk, with its work merged: " + why})
	return true
}
