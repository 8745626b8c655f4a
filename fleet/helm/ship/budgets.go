package ship

import (
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/aboard/wire"
	"ocaptain/fleet/helm/facts"
)

// Budgets bound the work that a ship can cause helm. A normal agent writes a few MB of log and of new files in an
// hour, makes a few requests for each task, and exports a few KB of telemetry a second.
type Budgets [4]facts.Budget

// The budgets of a ship.
const (
	Log       = iota // bytes of its log
	Copies           // bytes of the copies of its tree
	Requests         // its requests
	Telemetry        // bytes that its agent exports
)

func newBudgets() Budgets {
	return Budgets{
		Log: {
			Burst: 16 << 20, Rate: 128 << 10, Most: 5 * time.Second, What: "log",
			Told: "its log is taken in slowly, as more than 128 KB a second of it would fill the hub's disk",
		},
		Copies: {
			Burst: 512 << 20, Rate: 256 << 10, Most: time.Hour, What: "copies",
			Told: "its copies of its tree are made less often, as more than 256 KB a second of them would fill the hub's disk",
		},
		Requests: {
			Burst: 500, Rate: 50, Most: time.Minute, What: "requests",
			Told: "its requests are refused as far as they are more than 50 a second, so that helm has time for other ships",
		},
		Telemetry: {
			Burst: 64 << 20, Rate: 512 << 10, Most: 5 * time.Second, What: "telemetry",
			Told: "its telemetry is taken in slowly, as it is more than 512 KB a second",
		},
	}
}

// Spend counts n against one of the ship's budgets, and returns how long the ship has to wait. It tells the captain
// when the ship begins to exceed the budget.
func (s *Ship) Spend(what int, n int64) (wait time.Duration) {
	var begins bool
	var told string
	s.Change(func(is *State) {
		b := &is.Budgets[what]
		wait, begins = b.Spend(time.Now(), n)
		told = b.Told
	})
	if begins {
		s.c.Notes.Add(fleet.Note{Ship: s.Name, Text: told})
		s.c.Paint.Send()
	}
	return wait
}

// Slowed lists which budgets are exceeded, and since when.
func (b Budgets) Slowed(now time.Time) (what []string, since time.Time) {
	return facts.Slowed(now, &b[Log], &b[Copies], &b[Requests], &b[Telemetry])
}

// ErrAsksTooMuch is the answer to a ship that has used up its budget of requests.
var ErrAsksTooMuch = &wire.Error{Code: wire.CodeBusy, Text: "you ask helm more than 50 times a second: wait a few seconds, then ask again"}

// MayAsk counts a request, and returns an error if the ship makes too many.
func (s *Ship) MayAsk() error {
	if s.Spend(Requests, 1) <= 0 {
		return nil
	}
	s.Change(func(is *State) { is.Budgets[Requests].Refund(1) }) // a refused request does not count
	return ErrAsksTooMuch
}
