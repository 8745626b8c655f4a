package ship

import (
	"context"
	"errors"
	"time"

	"ocaptain/fleet/aboard/wire"
	"ocaptain/fleet/helm/facts"
	"ocaptain/fleet/helm/measures"
	"ocaptain/fleet/helm/reports"
	"ocaptain/fleet/proto"
	"ocaptain/fleet/retry"
)

// leastParcel is the smallest size that a delivery counts as, so that many small ones use up the budget, too.
const leastParcel = 16 << 10

// TakeTelemetry stores what the ship's agent exported. A ship that sends too much has to wait for the answer.
func (s *Ship) TakeTelemetry(ctx context.Context, to *measures.Measures, t proto.Telemetry) error {
	if err := s.parcels.Lock(ctx); err != nil {
		return err
	}
	defer s.parcels.Unlock()
	now := time.Now()
	from := measures.Sender{Ship: s.Name, Role: s.Role, At: func(at time.Time) time.Time { return reports.HubTime(now, t.Now, at) }}
	var wait time.Duration
	err := to.Take(from, t.Parcel, func(size int64, cost float64) {
		s.Uses(now, func(u *facts.Used) { u.AddExported(cost) })
		wait = s.Spend(Telemetry, max(size, leastParcel))
	})
	if wait > 0 {
		_ = retry.Sleep(ctx, wait)
	}
	return err
}

// Uses records what the ship's agents have used up to the time at, as the ship reports it.
func (s *Ship) Uses(at time.Time, add func(*facts.Used)) {
	s.c.Spending.Spend(s.Name, s.Record().Built, at, add)
}

// allowEvery is the shortest time between two messages to a ship about what its agent may cost while helm is away.
const allowEvery = 5 * time.Second

// PushAllowance keeps the ship informed of what its agent may cost while helm is away. ships counts the ships that have a machine.
func (s *Ship) PushAllowance(ctx context.Context, conn *wire.Conn, ships func() int) {
	for first, sent := true, (proto.Allowance{}); ; {
		costs := s.c.Spending.Costs.Next()
		a := s.c.Spending.Allowance(s.Name, s.Record().Built, ships())
		if first || a != sent {
			err := conn.Call(ctx, proto.MethodAllow, a, nil)
			var refused *wire.Error
			if errors.As(err, &refused) {
				s.c.Log.Warn("allowance", "ship", s.Name, "error", err)
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
