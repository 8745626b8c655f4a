package helm

import (
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/aboard/wire"
)

// budget bounds what a ship makes the hub do: so much at once, and then so much each second.
type budget struct {
	burst, rate float64
	most        time.Duration // that a ship waits at once
	what        string        // that grows
	told        string        // to the captain, what is done about it
	used        float64
	at          time.Time
	since       time.Time // when it was exceeded, zero while it is not
}

// The budgets of a ship. An agent writes a few MB of log and of new files in an hour, and asks helm a few times for each task.
func logBudget() budget {
	return budget{
		burst: 16 << 20, rate: 128 << 10, most: 5 * time.Second, what: "log",
		told: "its log is taken in slowly, as more than 128 KB a second of it would fill the hub's disk",
	}
}

func copyBudget() budget {
	return budget{
		burst: 512 << 20, rate: 256 << 10, most: time.Hour, what: "copies",
		told: "its copies of its tree are made less often, as more than 256 KB a second of them would fill the hub's disk",
	}
}

func askBudget() budget {
	return budget{
		burst: 500, rate: 50, most: time.Minute, what: "requests",
		told: "its requests are refused as far as they are more than 50 a second, so that helm has time for other ships",
	}
}

// spend takes in n more, and returns how long more than that has to wait.
func (b *budget) spend(now time.Time, n int64) time.Duration {
	b.used = b.level(now) + float64(n)
	b.at = now
	return time.Duration(min(b.most.Seconds(), (b.used-b.burst)/b.rate) * float64(time.Second))
}

// level is how much counts still.
func (b *budget) level(now time.Time) float64 {
	return max(0, b.used-b.rate*max(0, now.Sub(b.at).Seconds()))
}

// spendBudget is budget.spend for one of the ship's, of which the captain is told. The caller holds v.mu.
func (s *ship) spendBudget(b *budget, n int64) time.Duration {
	now := time.Now()
	wait := b.spend(now, n)
	if wait > 0 && b.since.IsZero() {
		b.since = now
		s.v.addNote(fleet.Note{Ship: s.name, Text: b.told})
		s.v.requestBoard()
	}
	return wait
}

// slowed lists which budgets of the ship are exceeded, and since when. A budget is, until half of it is free. The caller holds v.mu.
func (s *ship) slowed(now time.Time) (what []string, since time.Time) {
	for _, b := range []*budget{&s.logged, &s.kept, &s.asking, &s.measured} {
		if b.level(now) < b.burst/2 {
			b.since = time.Time{}
		}
		if b.since.IsZero() {
			continue
		}
		if what = append(what, b.what); since.IsZero() || b.since.Before(since) {
			since = b.since
		}
	}
	return what, since
}

// errAsksTooMuch is the answer to a ship that asks more than its budget has.
var errAsksTooMuch = &wire.Error{Code: wire.CodeBusy, Text: "you ask helm more than 50 times a second: wait a few seconds, then ask again"}

// mayAsk refuses a request of a ship that asks too often.
func (s *ship) mayAsk() error {
	return reads(s.v, func() error {
		if s.spendBudget(&s.asking, 1) <= 0 {
			return nil
		}
		s.asking.used-- // it costs nothing that is not done
		return errAsksTooMuch
	})
}
