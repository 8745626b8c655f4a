package voyage

import (
	"context"
	"errors"
	"time"

	"ocaptain/fleet/aboard/wire"
	"ocaptain/fleet/proto"
	"ocaptain/fleet/retry"
)

// allowEvery is how often a ship is told at most what its agent may cost while helm is away.
const allowEvery = 5 * time.Second

// allowance is what the ship's agent may cost while helm is away: what it is known to have cost on this machine, and an equal part of what
// is left of the budget, so that all ships together keep within it. The caller holds v.mu.
func (s *Ship) allowance() proto.Allowance {
	b, u := s.v.budget(), s.usage()
	if b.Max == 0 {
		return proto.Allowance{}
	}
	a := proto.Allowance{Bounded: true, USD: max(0, b.Max-b.Spent) / float64(len(s.v.ships)), Stop: s.v.guards.StopAtMaxCost}
	if u.Built == s.known.Ship.Built {
		a.USD += u.Now.CostUSD
	}
	return a
}

// pushAllowance keeps the ship informed of its allowance.
func (s *Ship) pushAllowance(ctx context.Context, conn *wire.Conn) {
	for first, sent := true, (proto.Allowance{}); ; {
		a := reads(s.v, s.allowance)
		if first || a != sent {
			err := conn.Call(ctx, proto.MethodAllow, a, nil)
			var refused *wire.Error
			if errors.As(err, &refused) {
				s.v.log.Warn("allowance", "ship", s.name, "error", err)
			} else if err != nil {
				return
			}
			first, sent = false, a
		}
		if retry.Sleep(ctx, allowEvery) != nil {
			return
		}
		select {
		case <-s.costs:
		case <-ctx.Done():
			return
		}
	}
}

// overspent lists the ships that interrupted their agents while helm was away, and may go on. The caller holds v.mu.
func (v *Voyage) overspent(now time.Time) (names []string) {
	for _, s := range v.ships {
		if s.isInterrupted() && s.known.State.Why == proto.Overspent && s.paused(now) == "" {
			names = append(names, s.name)
		}
	}
	return names
}
