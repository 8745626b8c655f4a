package facts

import "time"

// Budget bounds what a ship makes the hub do: so much at once, and then so much each second.
type Budget struct {
	Burst, Rate float64
	Most        time.Duration // that a ship waits at once
	What        string        // that grows
	Told        string        // to the captain, what is done about it
	used        float64
	at          time.Time
	since       time.Time // when it was exceeded, zero while it is not
}

// Spend takes in n more, and returns how long more than that has to wait. begins reports that the budget was not exceeded before.
func (b *Budget) Spend(now time.Time, n int64) (wait time.Duration, begins bool) {
	b.used = b.level(now) + float64(n)
	b.at = now
	wait = time.Duration(min(b.Most.Seconds(), (b.used-b.Burst)/b.Rate) * float64(time.Second))
	if begins = wait > 0 && b.since.IsZero(); begins {
		b.since = now
	}
	return wait, begins
}

// Refund takes back what was not done.
func (b *Budget) Refund(n int64) { b.used -= float64(n) }

// level is how much counts still.
func (b *Budget) level(now time.Time) float64 {
	return max(0, b.used-b.Rate*max(0, now.Sub(b.at).Seconds()))
}

// Slowed lists which budgets are exceeded, and since when. A budget is, until half of it is free.
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
