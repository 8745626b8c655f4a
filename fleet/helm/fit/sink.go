package fit

import (
	"context"
	"errors"
	"slices"
	gosync "sync"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/retry"
)

// ErrSinking cancels the provisioning of a voyage that is being sunk.
var ErrSinking = errors.New("the voyage is being sunk")

// SinkEmpty ends a voyage that was to be sunk when it was verified, once it has no machine left. The
// caller holds Busy.
func (f *Fit) SinkEmpty() {
	now := f.o.Roster.Now()
	over := f.o.Guards.SinkVerified && now.Phase == fleet.Complete &&
		!slices.ContainsFunc(now.Ships, func(s *fleet.Ship) bool { return s.Phase != fleet.Failed })
	if over && f.sinkAll(f.o.Context, func(api.Progress) {}) == nil {
		f.o.Sunk()
	}
}

// Sink destroys all ships of the voyage. It continues when ctx ends, and cancels provisioning that is under way.
func (f *Fit) Sink(ctx context.Context, report func(api.Progress)) error {
	if isSunk(f.o.Roster.Now()) {
		return nil // helm may be closing it
	}
	f.beginSinking()
	if !f.Busy.TryLock() {
		reportWait(f.o.Roster.Now(), report)
		if err := f.Busy.Lock(ctx); err != nil {
			f.o.Go(f.sinkAlone)
			return err
		}
	}
	defer f.Busy.Unlock()
	return f.sinkAll(f.o.Context, report)
}

// reportWait reports that a sink waits for another command, and why machines are still there.
func reportWait(all *fleet.Fleet, report func(api.Progress)) {
	report(api.Progress{State: api.StepNote, Text: "another command changes the ships of this voyage; this sink waits until that command ends"})
	for _, s := range all.Ships {
		if s.Phase == fleet.Going && s.Error != "" {
			report(api.Progress{Ship: s.Name, Step: "sink", State: api.StepFailed, Text: s.Error})
		}
	}
}

// sinkAlone goes on with a sink whose caller left before it could begin. When helm ends first, the next helm
// does so.
func (f *Fit) sinkAlone() {
	if f.Busy.Lock(f.o.Context) != nil {
		return
	}
	defer f.Busy.Unlock()
	if f.sinkAll(f.o.Context, func(api.Progress) {}) == nil {
		f.o.Sunk()
	}
}

func isSunk(now *fleet.Fleet) bool {
	return now.Phase == fleet.Sunk && len(now.Ships) == 0
}

func (f *Fit) beginSinking() {
	f.o.Roster.Alter(func(all *fleet.Fleet) { all.Phase = fleet.Sinking })
	if abort := f.abort.Load(); abort != nil {
		(*abort)(ErrSinking)
	}
	f.o.Roster.SaveAnyway()
}

// sinkAll destroys all ships. It keeps trying until all are gone, since machines cost money.
func (f *Fit) sinkAll(ctx context.Context, report func(api.Progress)) error {
	if isSunk(f.o.Roster.Now()) { // another sink has finished while this one waited
		return nil
	}
	f.beginSinking()
	var all gosync.WaitGroup
	for _, s := range f.o.Roster.Now().Ships {
		all.Go(func() { f.sinkShip(ctx, s.Name, report) })
	}
	all.Wait()
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := f.o.Secrets.Remove(); err != nil {
		return err
	}
	f.o.Roster.ChangeAnyway(func(all *fleet.Fleet) { all.Phase = fleet.Sunk })
	return nil
}

// sinkShip removes a ship, and keeps trying. It reports an error whenever its text changes.
func (f *Fit) sinkShip(ctx context.Context, name string, report func(api.Progress)) {
	for said := ""; ; {
		err := f.removeShip(ctx, name, report, true)
		if err == nil || ctx.Err() != nil {
			return
		}
		if text := err.Error(); text != said {
			said = text
			report(api.Progress{Ship: name, Step: "sink", State: api.StepFailed, Text: text})
			report(api.Progress{Ship: name, State: api.StepNote, Text: "ctrl-c leaves, and " + fleet.UntilGone})
		}
		if retry.Sleep(ctx, time.Second) != nil { // the keeper of machines pauses between attempts
			return
		}
	}
}
