package voyage

import (
	"context"

	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/helm/fit"
	"ocaptain/fleet/helm/pace"
	"ocaptain/fleet/helm/pool"
	"ocaptain/fleet/helm/rights"
)

// newFit returns what provisions the voyage's ships.
func newFit(v *Voyage) *fit.Fit {
	return fit.New(fit.Options{
		Core: v.Core, Access: v.common.Access, Orders: v.Verifier.Orders, Paces: newPaces(v), Plan: v.common.Plan, Launch: v.launch, Progressed: v.Verifier.Progressed, LetGo: v.letGo, Free: func() { v.Captain.FreeChosen() },
		Runs: func(ship string) bool { return reads(v, func() bool { return v.ships[ship] != nil }) },
		Requeue: func(ship, reason string) error {
			if err := v.claims.Reclaim(rights.Provider, ship, reason); err != nil && !v.leavesTasks(err) {
				return err
			}
			return nil
		},
		Forget: func(ship string, drop func()) {
			changes(v, func() {
				delete(v.ships, ship)
				v.Dispatcher.Watch.Change(func(is *pool.Watch) { is.Forget(ship) })
				drop()
			})
		},
		Sunk: func() { v.common.Sunk(v) },
	})
}

// letGo ends helm's work on a ship after a last look at its tree, which stays locked until release is called.
func (v *Voyage) letGo(ctx context.Context, ship string, report func(api.Progress)) (release func(), err error) {
	s := reads(v, func() *Ship { return v.ships[ship] })
	if s == nil {
		return func() {}, nil
	}
	if s.Context.Err() == nil { // Close was not called before
		if quit := s.State().Quit; quit != nil {
			quit()
		}
		s.Farewell(ctx, v.Tree.Leave(ctx, ship), report)
	}
	s.close()
	// A merge that is under way fails now, or is through: its claim must not be requeued before that is known.
	return s.Busy.Unlock, s.Busy.Lock(ctx)
}

// newPaces returns what watches the progress of provisioning.
func newPaces(v *Voyage) *pace.Paces {
	ticks := pace.Ticks
	if v.common.paceTicks != nil {
		ticks = v.common.paceTicks
	}
	return pace.New(v.Context, ticks, v.Paint.Send)
}
