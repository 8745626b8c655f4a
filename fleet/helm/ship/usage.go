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

// leastParcel is what a delivery counts for at least, so that many small ones cost as well.
const leastParcel = 16 << 10

// TakeTelemetry takes over what the ship's agent exported. A ship that sends too much waits for the answer.
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

// Uses takes over what the ship's agents have used up to a time, which the ship tells.
func (s *Ship) Uses(at time.Time, add func(*facts.Used)) {
	s.c.Spending.Spend(s.Name, s.Record().Built, at, add)
}

// allowEvery is how often a ship is told at most what its agent may cost while helm is away.
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
