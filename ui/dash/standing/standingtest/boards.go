// Package standingtest has boards for tests: voyages in all their states, a pool, and hostile texts.
package standingtest

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"time"

	"ocaptain/fleet"
	"ocaptain/tasks"
)

// Noon is the present in these tests.
var Noon = time.Date(2026, 3, 14, 12, 0, 0, 0, time.UTC)

// Ago returns the time that long before Noon.
func Ago(d time.Duration) time.Time { return Noon.Add(-d) }

// Linked gives tasks their Blocks, as the store does.
func Linked(all []tasks.State) []tasks.State {
	plain := make([]tasks.Task, len(all))
	for i := range all {
		plain[i] = all[i].Task
	}
	for i, t := range tasks.LinkBothWays(plain) {
		all[i].Task = t
	}
	return all
}

// Task returns a task that waits for others.
func Task(id, subject string, status tasks.Status, after ...string) tasks.State {
	return tasks.State{Task: tasks.Task{ID: id, Subject: subject, Status: status, BlockedBy: after}}
}

// Ship returns a ship with its status.
func Ship(name string, word fleet.Word, reason string) fleet.ShipView {
	return fleet.ShipView{Ship: fleet.Ship{Name: name, Phase: fleet.Afloat}, Status: fleet.Status{Word: word, Reason: reason}}
}

// Harbour returns the board of a voyage about logins: three tasks done, two under way, one of them stuck, one ready,
// and the rest behind them.
func Harbour() *fleet.Board {
	b := &fleet.Board{
		At: Noon, Voyage: fleet.Voyage{ID: "voyage-0123456789ab", Branch: "voyage-0123456789ab"}, Phase: fleet.Sailing,
		Ships: []fleet.ShipView{Ship("ship-0", fleet.Working, ""), Ship("ship-1", fleet.Waiting, "asks for permission: Bash"), Ship("ship-2", fleet.Idle, "")},
		Tasks: []tasks.State{
			Task("1", "Create User model", tasks.Completed),
			Task("2", "Add password hashing", tasks.Completed, "1"),
			Task("3", "Implement JWT middleware", tasks.InProgress, "1", "2"),
			Task("4", "Create login endpoint", tasks.InProgress, "2"),
			Task("5", "Add session management", tasks.Pending, "3", "4"),
			Task("6", "Write auth tests", tasks.Pending, "5", "1"),
			Task("7", "Describe the HTTP API", tasks.Completed),
			Task("8", "Rate limit logins", tasks.Pending, "1"),
			Task("9", "Rotate signing keys", tasks.Pending),
			Task("10", "Ship the release notes", tasks.Pending, "6", "7", "9"),
		},
	}
	for i, o := range map[int]string{0: "ship-0", 1: "ship-1", 2: "ship-0", 3: "ship-1", 6: "ship-2"} {
		t := &b.Tasks[i]
		t.Owner, t.Epoch, t.Attempts = o, 1, 1
		t.ClaimedAt = Ago(time.Duration(40-10*i) * time.Minute)
		if t.Status == tasks.Completed {
			t.ClaimedAt, t.CompletedAt = Ago(90*time.Minute), Ago(time.Duration(50-5*i)*time.Minute)
		} else {
			t.ClaimedAt = Ago(time.Duration(3*i-3) * time.Minute)
		}
	}
	b.Tasks[8].NotBefore, b.Tasks[8].Reason = Noon.Add(2*time.Hour+5*time.Minute), "ship-1: needs the new key"
	Linked(b.Tasks)
	return b
}

// Knotted is a board with tasks that wait for each other, and for what does not exist.
func Knotted() *fleet.Board {
	return &fleet.Board{
		At: Noon, Phase: fleet.Sailing, Ships: []fleet.ShipView{Ship("ship-0", fleet.Idle, "")},
		Tasks: Linked([]tasks.State{
			Task("a", "Wind the clock", tasks.Pending, "c"),
			Task("b", "Read the clock", tasks.Pending, "a"),
			Task("c", "Set the clock", tasks.Pending, "b"),
			Task("d", "Ring the bell", tasks.Pending, "c", "gone"),
			Task("e", "Polish the bell", tasks.Pending),
			Task("f", "Wait for oneself", tasks.Pending, "f"),
		}),
	}
}

// Large returns a board of n tasks in levels of 50, each waiting for two of the level before.
func Large(n int) *fleet.Board {
	b := &fleet.Board{At: Noon, Phase: fleet.Sailing}
	for i := range 100 {
		b.Ships = append(b.Ships, Ship(fmt.Sprintf("ship-%d", i), fleet.Working, ""))
	}
	for i := range n {
		t := Task(strconv.Itoa(i+1), fmt.Sprintf("Task number %d of a great many, with a subject of usual length", i+1), tasks.Pending)
		if i >= 50 {
			t.BlockedBy = []string{strconv.Itoa(i + 1 - 50), strconv.Itoa(max(1, i+1-50-i%7))}
		}
		switch {
		case i < n/2:
			t.Status, t.Owner, t.ClaimedAt, t.CompletedAt = tasks.Completed, fmt.Sprintf("ship-%d", i%100), Ago(2*time.Hour), Ago(time.Hour)
		case i < n/2+100:
			t.Status, t.Owner, t.ClaimedAt = tasks.InProgress, fmt.Sprintf("ship-%d", i%100), Ago(10*time.Minute)
		}
		b.Tasks = append(b.Tasks, t)
	}
	Linked(b.Tasks)
	return b
}

// Held returns a board with a task that was given up.
func Held() *fleet.Board {
	b := Harbour()
	b.Tasks[8].NotBefore, b.Tasks[8].OnHold, b.Tasks[8].Reason = Noon.AddDate(100, 0, 0), true, "ship-1: its check failed (exit 1): no key"
	b.Tasks = Linked(append(b.Tasks, Task("11", "Revoke the old keys", tasks.Pending, "9"), Task("12", "Tell of the new keys", tasks.Pending, "11")))
	return b
}

// Random returns a board of n tasks that wait for earlier ones, or with loops for any.
func Random(r *rand.Rand, n int, loops bool) *fleet.Board {
	b := &fleet.Board{At: Noon, Ships: []fleet.ShipView{Ship("ship-0", fleet.Working, "")}}
	for i := range n {
		t := Task(fmt.Sprint(i), "Task", tasks.Pending)
		for range r.IntN(3) {
			if loops {
				t.BlockedBy = append(t.BlockedBy, fmt.Sprint(r.IntN(n+1)))
			} else if i > 0 {
				t.BlockedBy = append(t.BlockedBy, fmt.Sprint(r.IntN(i)))
			}
		}
		if r.IntN(2) == 0 {
			t.Metadata = map[string]any{"estimate": float64(r.IntN(90))}
		}
		b.Tasks = append(b.Tasks, t)
	}
	return b
}
