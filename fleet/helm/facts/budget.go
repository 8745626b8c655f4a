package facts

import "time"

// Budget limits what a ship makes the hub do: an amount at once, and then an amount per second.
type Budget struct {
	Burst, Rate float64
	Most        time.Duration // the longest single wait of a ship
	What        string        // description of what is limited
	Told        string        // text for the captain about what helm does when the budget is exceeded
	used        float64
	at          time.Time
	since       time.Time // since when the budget has been exceeded, zero when it is not
}

// Spend uses n of the budget, and returns how long the ship must wait before it may use more. begins says that the budget was not
// exceeded before.
func (b *Budget) Spend(now time.Time, n int64) (wait time.Duration, begins bool) {
	b.used = b.level(now) + float64(n)
	b.at = now
	wait = time.Duration(min(b.Most.Seconds(), (b.used-b.Burst)/b.Rate) * float64(time.Second))
	if begins = wait > 0 && b.since.IsZero(); begins {
		b.since = now
	}
	return wait, begins
}

// Refund returns n that were not used.
func (b *Budget) Refund(n int64) { b.used -= float64(n) }

// level returns how much of the budget is in use.
func (b *Budget) level(now time.Time) float64 {
	return max(0, b.used-b.Rate*max(0, now.Sub(b.at).Seconds()))
}

// Slowed returns which budgets are exceeded, and since when. A budget counts as exceeded until half of it is free
// again.
func Slowed(now time.Time, all ...*Budget) (what []string, since time.Time) {
	for _, b := range all {
		if b.level(now) < b.Burst/2 {
			b.since = time.Time{}
		}
		if b.since.IsZero() {
			continue
		}
		if what = append(what, b.What); since.IsZero() || b.since.Before(since) {
			since = b.since
		}
	}
	return what, since
}
