package facts

import (
	"slices"
	"time"
)

// Spent is what the agents of a ship have cost since a time, in US dollars.
type Spent struct {
	At  time.Time `json:"at"`
	USD float64   `json:"usd"`
}

// spentStep is the resolution in time of costs.
const spentStep = time.Minute

// Spend adds a cost of the agents at a time that the ship reports. A later time than now counts as now.
func (u *Used) Spend(now, at time.Time, usd float64) {
	u.Lately = slices.DeleteFunc(slices.Clone(u.Lately), func(s Spent) bool { return now.Sub(s.At) >= time.Hour })
	if at.After(now) {
		at = now
	}
	if usd <= 0 || now.Sub(at) >= time.Hour {
		return
	}
	for i, s := range u.Lately {
		if d := at.Sub(s.At); d >= 0 && d < spentStep {
			u.Lately[i].USD += usd
			return
		}
	}
	u.Lately = append(u.Lately, Spent{at, usd})
	slices.SortFunc(u.Lately, func(a, b Spent) int { return a.At.Compare(b.At) })
}

// HourCost returns what the agents have cost within the last hour, in US dollars.
func (u *Used) HourCost(now time.Time) (sum float64) {
	for _, s := range u.Lately {
		if now.Sub(s.At) < time.Hour {
			sum += s.USD
		}
	}
	return sum
}

// WatchRate records whether the cost of the last hour has reached the limit, and reports whether that has changed.
func (u *Used) WatchRate(now time.Time, limit float64) bool {
	rests := !u.RestsUntil(now, limit).IsZero()
	if rests == !u.Rests.IsZero() {
		return false
	}
	u.Rests = time.Time{}
	if rests {
		u.Rests = now
	}
	return true
}

// ForgiveHour makes the cost so far not count for this hour.
func (u *Used) ForgiveHour() { u.Lately, u.Rests = nil, time.Time{} }

// RestsUntil returns when the cost of the last hour falls below the limit again. It is the zero time when it is below, or when
// there is no limit (0).
func (u *Used) RestsUntil(now time.Time, limit float64) (until time.Time) {
	sum := u.HourCost(now)
	if limit == 0 {
		return time.Time{}
	}
	for _, s := range u.Lately {
		if sum < limit {
			return until
		}
		if now.Sub(s.At) < time.Hour {
			sum -= s.USD
			until = s.At.Add(time.Hour)
		}
	}
	return until
}
