package helm

import (
	"fmt"
	"time"

	"ocaptain/fleet"
)

// budget bounds the bytes that a ship makes the hub keep: so many at once, and then so many each second.
type budget struct {
	burst, rate float64
	most        time.Duration // that a ship waits at once
	what, how   string        // what grows, and what is done about it
	used        float64
	at          time.Time
	over        bool
}

// The budgets of a ship. An agent writes a few MB of log and of new files in an hour.
func logBudget() budget {
	return budget{burst: 16 << 20, rate: 128 << 10, most: 5 * time.Second, what: "log", how: "is taken in slowly"}
}

func copyBudget() budget {
	return budget{burst: 512 << 20, rate: 256 << 10, most: time.Hour, what: "copies", how: "of its tree are made less often"}
}

// spendBytes takes in that bytes were kept, and returns how long more of them have to wait.
func (b *budget) spendBytes(now time.Time, n int64) time.Duration {
	b.used = max(0, b.used-b.rate*max(0, now.Sub(b.at).Seconds())) + float64(n)
	b.at = now
	return time.Duration(min(b.most.Seconds(), (b.used-b.burst)/b.rate) * float64(time.Second))
}

// spendBudget is budget.spend for one of the ship's, of which the captain is told. The caller holds v.mu.
func (s *ship) spendBudget(b *budget, n int64) time.Duration {
	wait := b.spendBytes(time.Now(), n)
	switch {
	case wait > 0 && !b.over:
		b.over = true
		s.v.addNote(fleet.Note{Ship: s.name, Text: fmt.Sprintf("its %s %s, as more than %d KB a second of them would fill the hub's disk", b.what, b.how, int(b.rate)>>10)})
		s.v.requestBoard()
	case b.over && b.used < b.burst/2:
		b.over = false
		s.v.requestBoard()
	}
	return wait
}

// slowed lists what of the ship is taken in slowly, as it grows too fast. The caller holds v.mu.
func (s *ship) slowed() (what []string) {
	for _, b := range []*budget{&s.logged, &s.kept} {
		if b.over {
			what = append(what, b.what)
		}
	}
	return what
}
