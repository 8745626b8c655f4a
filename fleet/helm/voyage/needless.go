package voyage

import (
	"context"
	"errors"

	"ocaptain/fleet"
)

// errNeedless ends the fitting out of a ship whose machine had to wait for so long that nothing is left to do.
var errNeedless = errors.New("no machine was made: all tasks were done before its turn came")

// errDrained ends the fitting out of a ship that the captain has drained.
var errDrained = errors.New("it was drained before it was ready")

// whileNeeded returns a context that ends when the captain drains a ship, or when it still waits for its machine and all tasks were done
// meanwhile. look has that looked at, as does every change of the tasks.
func (v *Voyage) whileNeeded(ctx context.Context, f *fleet.Ship) (_ context.Context, look func()) {
	done := v.kind.IsDone(v.store.Snapshot()) // the captain asks for it all the same
	ctx, cancel := context.WithCancelCause(ctx)
	look = func() {
		switch f := v.roster.Ship(f.Name); {
		case f == nil:
		case f.Draining:
			cancel(errDrained)
		case f.Step == "create" && f.Waits != "" && !done && v.kind.IsDone(v.store.Snapshot()):
			cancel(errNeedless)
		}
	}
	v.jobs.Go(func() {
		for {
			news := v.news.Next()
			if f := v.roster.Ship(f.Name); f == nil || f.Phase != fleet.Planned && f.Phase != fleet.Provisioning {
				return
			}
			look()
			select {
			case <-news:
			case <-ctx.Done():
				return
			}
		}
	})
	return ctx, look
}
