package voyage

import (
	"context"
	"strings"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/clean"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/helm/fit"
	"ocaptain/fleet/helm/rights"
)

// newFit returns what provisions the voyage's ships.
func (v *Voyage) newFit() *fit.Fit {
	return fit.New(fit.Options{
		Core: v.Core, Access: v.common.Access, Orders: v.currentOrders, Paces: v.paces, Plan: v.common.Plan, Launch: v.launch, Progressed: v.progressed, LetGo: v.letGo, Free: func() { v.Captain.FreeChosen() },
		Runs: func(ship string) bool { return reads(v, func() bool { return v.ships[ship] != nil }) },
		Requeue: func(ship, reason string) error {
			if err := v.reclaim(rights.Provider, ship, reason); err != nil && !v.leavesTasks(err) {
				return err
			}
			return nil
		},
		Forget: func(ship string, drop func()) {
			changes(v, func() {
				delete(v.ships, ship)
				v.commits.Forget(ship)
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
	if s.ctx.Err() == nil { // the first time
		s.farewell(ctx, report)
	}
	s.close()
	// A merge that is under way fails now, or is through: its claim must not be
	// taken back before that is known.
	return s.tree.Unlock, s.tree.Lock(ctx)
}

// farewell copies home what the ship has before its machine is destroyed, and tells what of it is lost.
func (s *Ship) farewell(ctx context.Context, report func(api.Progress)) {
	changes(s.v, func() {
		if s.quit != nil {
			s.quit()
		}
	})
	s.leaveTree(ctx, report)
	missing, err := s.bringHome(ctx)
	s.reportIgnored(report)
	var lost string
	switch {
	case err != nil:
		last := "nothing of its work was ever copied home"
		if copied := s.copies.Now().Copied; !copied.IsZero() {
			last = "what is on it alone since its last copy, of " + copied.Format(time.DateTime) + ", is lost"
		}
		lost = "its work could not be copied home (" + clean.Bound(err.Error(), 300) + "): " + last
	case len(missing) > 0:
		lost = "is lost with it: " + clean.Bound(strings.Join(missing, "; "), maxText)
	default:
		return
	}
	s.v.Notes.Add(fleet.Note{Ship: s.name, Text: lost})
	report(api.Progress{Ship: s.name, Step: "sink", State: api.StepNote, Text: lost, Lost: true})
}
