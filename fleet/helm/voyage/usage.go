package voyage

import (
	"context"
	"encoding/json"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/facts"
	"ocaptain/fleet/helm/measures"
	"ocaptain/fleet/helm/reports"
	"ocaptain/fleet/proto"
	"ocaptain/fleet/retry"
)

// takeUsage takes over a record of a ship's usage. What is restored from the log counts only
// if it is of the journal that the log ends with: the lines before may be of a machine that is
// gone and long part of the past. The caller holds v.mu.
func (s *Ship) takeUsage(l fleet.LogLine) {
	if s.restoring && (s.logs == nil || l.Journal != s.logs.Journal()) {
		return
	}
	var told proto.Usage
	if json.Unmarshal(l.Data, &told) != nil {
		return
	}
	s.spend(l.At, func(u *facts.Used) { u.AddReport(s.Built(), l.Journal, told) })
	s.countTurns()
}

// telemetryBudget bounds what a ship delivers. An agent exports a few KB a second.
func telemetryBudget() facts.Budget {
	return facts.Budget{
		Burst: 64 << 20, Rate: 512 << 10, Most: 5 * time.Second, What: "telemetry",
		Told: "its telemetry is taken in slowly, as it is more than 512 KB a second",
	}
}

// leastParcel is what a delivery counts for at least, so that many small ones cost as well.
const leastParcel = 16 << 10

// takeTelemetry takes over what the ship's agent exported. A ship that sends too much waits for the answer.
func (s *Ship) takeTelemetry(ctx context.Context, t proto.Telemetry) (any, error) {
	if err := s.parcels.Lock(ctx); err != nil {
		return nil, err
	}
	defer s.parcels.Unlock()
	now := time.Now()
	from := measures.Sender{Ship: s.Name, Role: s.Role, At: func(at time.Time) time.Time { return reports.HubTime(now, t.Now, at) }}
	var wait time.Duration
	err := s.v.measures.Take(from, t.Parcel, func(size int64, cost float64) {
		wait = reads(s.v, func() time.Duration {
			s.spend(now, func(u *facts.Used) { u.AddExported(cost) })
			return s.spendBudget(&s.measured, max(size, leastParcel))
		})
	})
	if wait > 0 {
		_ = retry.Sleep(ctx, wait)
	}
	return nil, err
}

// spend takes over what the ship's agents have used up to a time, which the ship tells. The caller holds v.mu.
func (s *Ship) spend(at time.Time, add func(*facts.Used)) {
	s.v.Spending.Spend(s.Name, s.Built(), at, add)
}
