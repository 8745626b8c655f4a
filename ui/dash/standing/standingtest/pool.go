package standingtest

import (
	"time"

	"ocaptain/fleet"
	"ocaptain/tasks"
)

// Dispatched returns a dispatch of a pool.
func Dispatched(id, command string, asked time.Duration, change func(*tasks.State)) tasks.State {
	t := tasks.State{Task: tasks.Dispatch{Command: command, Base: "9e8d7c6b5a40", From: "main", Key: "KEY", At: Ago(asked)}.Task()}
	t.ID = id
	if change != nil {
		change(&t)
	}
	return t
}

// DoneBy returns a change by which a ship completes a dispatch.
func DoneBy(ship, commit string, began, ended time.Duration) func(*tasks.State) {
	return func(t *tasks.State) {
		t.Status, t.Owner, t.Commit, t.ClaimedAt, t.CompletedAt = tasks.Completed, ship, commit, Ago(began), Ago(ended)
	}
}

// RunningOn returns a change that gives a dispatch to a ship.
func RunningOn(ship string, began time.Duration) func(*tasks.State) {
	return func(t *tasks.State) { t.Status, t.Owner, t.ClaimedAt = tasks.InProgress, ship, Ago(began) }
}

// Kites returns the board of a pool.
func Kites() *fleet.Board {
	return &fleet.Board{
		At: Noon, Voyage: fleet.Voyage{ID: "voyage-5e0f6a7b8c9d", Kind: fleet.Pool, Name: "kite"}, Phase: fleet.Sailing,
		Ships: []fleet.ShipView{Ship("kite-1", fleet.Working, ""), Ship("kite-2", fleet.Idle, ""), Ship("kite-10", fleet.Working, "")},
		Tasks: []tasks.State{
			Dispatched("1", "update the changelog", 3*time.Hour, DoneBy("kite-1", "abc1230", 3*time.Hour, 170*time.Minute)),
			Dispatched("2", "make the tail longer\n\nIt tears in strong wind, so that the kite spins.", 2*time.Hour, DoneBy("kite-10", "abc1231", 2*time.Hour, 5*time.Minute)),
			Dispatched("3", "fix the auth bug", 2*time.Hour, func(t *tasks.State) {
				t.OnHold, t.Reason, t.RequeuedAt = true, "scripts/dev-setup.sh failed (exit 1): no compiler", Ago(time.Hour)
			}),
			Dispatched("4", "find out why the kite dives in a lull", time.Hour, RunningOn("kite-10", 40*time.Minute)),
			Dispatched("5", "sort the imports", time.Hour, RunningOn("kite-1", 90*time.Second)),
			Dispatched("9", "add a string of lights", 30*time.Minute, func(t *tasks.State) { t.Metadata["worker"] = "kite-1" }),
			Dispatched("10", "count the knots", 20*time.Minute, nil),
			Dispatched("8", "paint it red", 20*time.Minute, func(t *tasks.State) { t.ReservedFor = "kite-2" }),
		},
	}
}
