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

// allowance is what the ship's agent may cost while helm is away.
func (s *Ship) allowance() proto.Allowance {
	return s.v.Spending.Allowance(s.Name, s.Built(), reads(s.v, func() int { return len(s.v.ships) }))
}

// pushAllowance keeps the ship informed of its allowance.
func (s *Ship) pushAllowance(ctx context.Context, conn *wire.Conn) {
	for first, sent := true, (proto.Allowance{}); ; {
		costs := s.v.Spending.Costs.Next()
		a := s.allowance()
		if first || a != sent {
			err := conn.Call(ctx, proto.MethodAllow, a, nil)
			var refused *wire.Error
			if errors.As(err, &refused) {
				s.v.Log.Warn("allowance", "ship", s.Name, "error", err)
			} else if err != nil {
				return
			}
			first, sent = false, a
		}
		if retry.Sleep(ctx, allowEvery) != nil {
			return
		}
		select {
		case <-costs:
		case <-ctx.Done():
			return
		}
	}
}
