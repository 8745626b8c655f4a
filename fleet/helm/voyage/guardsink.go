package voyage

import (
	"context"
	"fmt"
	gosync "sync"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/clean"
	"ocaptain/fleet/guard"
	"ocaptain/fleet/resolve"
)

// guardPause is how long a ship that could not be sunk by itself is left alone.
const guardPause = time.Minute

// guardSink sinks ships that the guards have named. Any that holds unmerged work when it is looked
// at, or can no longer be sunk, is left as it is. A voyage that was verified is sunk with the
// last of them.
func (v *Voyage) guardSink(names []string) {
	defer func() {
		changes(v, func() { v.watch.Sunk() })
	}()
	if v.Fit.Busy.Lock(v.ctx) != nil {
		return
	}
	defer v.Fit.Busy.Unlock()
	var all gosync.WaitGroup
	for _, name := range names {
		all.Go(func() {
			if v.guardSinkShip(name) {
				return
			}
			changes(v, func() { v.watch.LeaveAlone(name, time.Now().Add(guardPause)) })
		})
	}
	all.Wait()
	v.Fit.SinkEmpty()
}

// guardSinkShip sinks one ship, and reports whether it is gone.
func (v *Voyage) guardSinkShip(name string) bool {
	var s *Ship // nil when it has no tree to look at
	why, gone := "", false
	changes(v, func() {
		f := v.roster.Ship(name)
		if gone = f == nil; gone {
			return
		}
		now := time.Now() // it may have changed since it was named
		guards, _ := v.guardsNow()
		if f.Phase == fleet.Afloat {
			if s = v.ships[name]; s == nil {
				return
			}
		}
		why = guard.JudgeShip(guards, now, v.watched(f, resolve.Status(now, v.knownOf(f)).Word, now, guards)).Sink
		if why != "" && s != nil {
			s.leaving = true // from here on it claims nothing
		}
	})
	if why == "" {
		return gone
	}
	if s != nil && !s.empty() {
		changes(v, func() { s.leaving = false })
		return false
	}
	began := time.Now()
	if err := v.Fit.RemoveNow(name); err != nil {
		if v.ctx.Err() == nil {
			v.notes.Add(fleet.Note{Ship: name, Text: "could not be sunk (" + why + "), and may cost on; " + fleet.UntilGone + ": " + clean.Bound(err.Error(), maxText)})
		}
		return false
	}
	v.log.Info("sunk by a guard", "ship", name, "why", why, "took", time.Since(began))
	v.notes.Add(fleet.Note{Ship: name, Text: "was sunk, with its work merged: " + why})
	return true
}

// empty looks at the ship's tree and reports whether it holds no task and nothing that is not
// merged.
func (s *Ship) empty() bool {
	ctx, cancel := context.WithTimeout(s.ctx, treeTime)
	defer cancel()
	if s.lockTree(ctx) != nil {
		return false
	}
	defer s.tree.Unlock()
	if s.v.store.Snapshot().Held(s.name) != nil {
		return false
	}
	if err := s.copies.Copy(ctx); err != nil {
		if s.ctx.Err() == nil {
			s.v.notes.Add(fleet.Note{Ship: s.name, Text: fmt.Sprintf("is not sunk, as its tree could not be looked at: %s", clean.Bound(err.Error(), 300))})
		}
		return false
	}
	return s.copies.Now().Unmerged.IsNone()
}
