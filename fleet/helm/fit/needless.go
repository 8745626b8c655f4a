package fit

import (
	"context"
	"errors"

	"ocaptain/fleet"
)

// errNeedless cancels the provisioning of a ship if all tasks were done while its machine waited to be made.
var errNeedless = errors.New("no machine was made: all tasks were done before its turn came")

// errDrained cancels the provisioning of a ship that the captain has drained.
var errDrained = errors.New("it was drained before it was ready")

// whileNeeded returns a context that ends when the captain drains the ship, or when all tasks are done while the ship
// still waits for its machine. It checks this at each change of the tasks, and whenever look is called.
func (f *Fit) whileNeeded(ctx context.Context, ship *fleet.Ship) (_ context.Context, look func()) {
	done := f.o.Kind.IsDone(f.o.Store.Snapshot()) // then the captain wants the ship all the same
	ctx, cancel := context.WithCancelCause(ctx)
	look = func() {
		switch ship := f.o.Roster.Ship(ship.Name); {
		case ship == nil:
		case ship.Draining:
			cancel(errDrained)
		case ship.Step == "create" && ship.Waits != "" && !done && f.o.Kind.IsDone(f.o.Store.Snapshot()):
			cancel(errNeedless)
		}
	}
	f.o.Go(func() {
		for {
			news := f.o.News.Next()
			if ship := f.o.Roster.Ship(ship.Name); ship == nil || ship.Phase != fleet.Planned && ship.Phase != fleet.Provisioning {
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
