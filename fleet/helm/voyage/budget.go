package voyage

import (
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/aboard/wire"
	"ocaptain/fleet/helm/facts"
)

// The budgets of a ship. An agent writes a few MB of log and of new files in an hour, and asks helm a few times for each task.
func logBudget() facts.Budget {
	return facts.Budget{
		Burst: 16 << 20, Rate: 128 << 10, Most: 5 * time.Second, What: "log",
		Told: "its log is taken in slowly, as more than 128 KB a second of it would fill the hub's disk",
	}
}

func copyBudget() facts.Budget {
	return facts.Budget{
		Burst: 512 << 20, Rate: 256 << 10, Most: time.Hour, What: "copies",
		Told: "its copies of its tree are made less often, as more than 256 KB a second of them would fill the hub's disk",
	}
}

func askBudget() facts.Budget {
	return facts.Budget{
		Burst: 500, Rate: 50, Most: time.Minute, What: "requests",
		Told: "its requests are refused as far as they are more than 50 a second, so that helm has time for other ships",
	}
}

// spendBudget spends one of the ship's budgets, and notes when the ship begins to exceed it. The caller
// holds v.mu.
func (s *Ship) spendBudget(b *facts.Budget, n int64) time.Duration {
	wait, begins := b.Spend(time.Now(), n)
	if begins {
		s.v.Notes.Add(fleet.Note{Ship: s.Name, Text: b.Told})
		s.v.requestBoard()
	}
	return wait
}

// slowed lists which budgets of the ship are exceeded, and since when. The caller holds v.mu.
func (s *Ship) slowed(now time.Time) (what []string, since time.Time) {
	return facts.Slowed(now, &s.logged, &s.kept, &s.asking, &s.measured)
}

// errAsksTooMuch is the answer to a ship that asks more than its budget has.
var errAsksTooMuch = &wire.Error{Code: wire.CodeBusy, Text: "you ask helm more than 50 times a second: wait a few seconds, then ask again"}

// mayAsk refuses a request of a ship that asks too often.
func (s *Ship) mayAsk() error {
	return reads(s.v, func() error {
		if s.spendBudget(&s.asking, 1) <= 0 {
			return nil
		}
		s.asking.Refund(1) // it costs nothing that is not done
		return errAsksTooMuch
	})
}
