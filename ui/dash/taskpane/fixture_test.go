package taskpane

import (
	"fmt"
	"strconv"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"ocaptain/fleet"
	"ocaptain/tasks"
)

// noon is the present in these tests.
var noon = time.Date(2026, 3, 14, 12, 0, 0, 0, time.UTC)

func ago(d time.Duration) time.Time { return noon.Add(-d) }

// linked gives tasks their Blocks, as the store does.
func linked(all []tasks.State) []tasks.State {
	plain := make([]tasks.Task, len(all))
	for i := range all {
		plain[i] = all[i].Task
	}
	for i, t := range tasks.LinkBothWays(plain) {
		all[i].Task = t
	}
	return all
}

func task(id, subject string, status tasks.Status, after ...string) tasks.State {
	return tasks.State{Task: tasks.Task{ID: id, Subject: subject, Status: status, BlockedBy: after}}
}

func ship(name string, word fleet.Word, reason string) fleet.ShipView {
	return fleet.ShipView{Ship: fleet.Ship{Name: name, Phase: fleet.Afloat}, Status: fleet.Status{Word: word, Reason: reason}}
}

// harbour is a board of a voyage about logins: three done, two under way, one of them
// stuck, one ready, and the rest behind them.
func harbour() *fleet.Board {
	b := &fleet.Board{
		At: noon, Voyage: fleet.Voyage{ID: "voyage-0123456789ab", Branch: "voyage-0123456789ab"}, Phase: fleet.Sailing,
		Ships: []fleet.ShipView{ship("ship-0", fleet.Working, ""), ship("ship-1", fleet.Waiting, "asks for permission: Bash"), ship("ship-2", fleet.Idle, "")},
		Tasks: []tasks.State{
			task("1", "Create User model", tasks.Completed),
			task("2", "Add password hashing", tasks.Completed, "1"),
			task("3", "Implement JWT middleware", tasks.InProgress, "1", "2"),
			task("4", "Create login endpoint", tasks.InProgress, "2"),
			task("5", "Add session management", tasks.Pending, "3", "4"),
			task("6", "Write auth tests", tasks.Pending, "5", "1"),
			task("7", "Describe the HTTP API", tasks.Completed),
			task("8", "Rate limit logins", tasks.Pending, "1"),
			task("9", "Rotate signing keys", tasks.Pending),
			task("10", "Ship the release notes", tasks.Pending, "6", "7", "9"),
		},
	}
	for i, o := range map[int]string{0: "ship-0", 1: "ship-1", 2: "ship-0", 3: "ship-1", 6: "ship-2"} {
		t := &b.Tasks[i]
		t.Owner, t.Epoch, t.Attempts = o, 1, 1
		t.ClaimedAt = ago(time.Duration(40-10*i) * time.Minute)
		if t.Status == tasks.Completed {
			t.ClaimedAt, t.CompletedAt = ago(90*time.Minute), ago(time.Duration(50-5*i)*time.Minute)
		} else {
			t.ClaimedAt = ago(time.Duration(3*i-3) * time.Minute)
		}
	}
	b.Tasks[8].NotBefore, b.Tasks[8].Reason = noon.Add(2*time.Hour+5*time.Minute), "ship-1: needs the new key"
	linked(b.Tasks)
	return b
}

// knotted is a board with tasks that wait for each other, and for what does not exist.
func knotted() *fleet.Board {
	return &fleet.Board{
		At: noon, Phase: fleet.Sailing, Ships: []fleet.ShipView{ship("ship-0", fleet.Idle, "")},
		Tasks: linked([]tasks.State{
			task("a", "Wind the clock", tasks.Pending, "c"),
			task("b", "Read the clock", tasks.Pending, "a"),
			task("c", "Set the clock", tasks.Pending, "b"),
			task("d", "Ring the bell", tasks.Pending, "c", "gone"),
			task("e", "Polish the bell", tasks.Pending),
			task("f", "Wait for oneself", tasks.Pending, "f"),
		}),
	}
}

// large is a board of n tasks in levels of 50, each waiting for two of the level before.
func large(n int) *fleet.Board {
	b := &fleet.Board{At: noon, Phase: fleet.Sailing}
	for i := range 100 {
		b.Ships = append(b.Ships, ship(fmt.Sprintf("ship-%d", i), fleet.Working, ""))
	}
	for i := range n {
		t := task(strconv.Itoa(i+1), fmt.Sprintf("Task number %d of a great many, with a subject of usual length", i+1), tasks.Pending)
		if i >= 50 {
			t.BlockedBy = []string{strconv.Itoa(i + 1 - 50), strconv.Itoa(max(1, i+1-50-i%7))}
		}
		switch {
		case i < n/2:
			t.Status, t.Owner, t.ClaimedAt, t.CompletedAt = tasks.Completed, fmt.Sprintf("ship-%d", i%100), ago(2*time.Hour), ago(time.Hour)
		case i < n/2+100:
			t.Status, t.Owner, t.ClaimedAt = tasks.InProgress, fmt.Sprintf("ship-%d", i%100), ago(10*time.Minute)
		}
		b.Tasks = append(b.Tasks, t)
	}
	linked(b.Tasks)
	return b
}

// showing returns a pane with a board.
func showing(b *fleet.Board) *Pane {
	p := New()
	p.SetBoard(b, noon)
	return p
}

// exact fails when rows are not exactly height rows of exactly width cells, or hold
// control characters beside styles.
func exact(t testing.TB, rows []string, width, height int) {
	t.Helper()
	if len(rows) != height {
		t.Fatalf("%d rows, want %d", len(rows), height)
	}
	for y, row := range rows {
		if w := ansi.StringWidth(row); w != width {
			t.Fatalf("row %d is %d cells wide, want %d: %q", y, w, width, row)
		}
		harmless(t, row)
	}
}

// harmless fails when a row holds an escape sequence that is not a style.
func harmless(t testing.TB, row string) {
	t.Helper()
	rest := row
	for rest != "" {
		if rest[0] == '\x1b' {
			end := 2
			for end < len(rest) && (rest[end] >= '0' && rest[end] <= '9' || rest[end] == ';' || rest[end] == ':') {
				end++
			}
			if len(rest) <= end || rest[1] != '[' || rest[end] != 'm' {
				t.Fatalf("an escape sequence that is no style: %q", row)
			}
			rest = rest[end+1:]
			continue
		}
		if rest[0] < ' ' || rest[0] == 0x7f {
			t.Fatalf("a control character: %q", row)
		}
		rest = rest[1:]
	}
}
