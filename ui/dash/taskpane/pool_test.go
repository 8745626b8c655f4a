package taskpane

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"ocaptain/ui/dash/taskstory"

	"github.com/charmbracelet/x/ansi"

	"ocaptain/fleet"
	"ocaptain/fleet/clean/cleantest"
	"ocaptain/tasks"
	"ocaptain/ui/changes"
	"ocaptain/ui/dash/attention"
)

// dispatched is a dispatch of a pool.
func dispatched(id, command string, asked time.Duration, change func(*tasks.State)) tasks.State {
	t := tasks.State{Task: tasks.Dispatch{Command: command, Base: "9e8d7c6b5a40", From: "main", Key: "KEY", At: ago(asked)}.Task()}
	t.ID = id
	if change != nil {
		change(&t)
	}
	return t
}

func doneBy(ship, commit string, began, ended time.Duration) func(*tasks.State) {
	return func(t *tasks.State) {
		t.Status, t.Owner, t.Commit, t.ClaimedAt, t.CompletedAt = tasks.Completed, ship, commit, ago(began), ago(ended)
	}
}

func runningOn(ship string, began time.Duration) func(*tasks.State) {
	return func(t *tasks.State) { t.Status, t.Owner, t.ClaimedAt = tasks.InProgress, ship, ago(began) }
}

// kites is the board of a pool.
func kites() *fleet.Board {
	return &fleet.Board{
		At: noon, Voyage: fleet.Voyage{ID: "voyage-5e0f6a7b8c9d", Kind: fleet.Pool, Name: "kite"}, Phase: fleet.Sailing,
		Ships: []fleet.ShipView{ship("kite-1", fleet.Working, ""), ship("kite-2", fleet.Idle, ""), ship("kite-10", fleet.Working, "")},
		Tasks: []tasks.State{
			dispatched("1", "update the changelog", 3*time.Hour, doneBy("kite-1", "abc1230", 3*time.Hour, 170*time.Minute)),
			dispatched("2", "make the tail longer\n\nIt tears in strong wind, so that the kite spins.", 2*time.Hour, doneBy("kite-10", "abc1231", 2*time.Hour, 5*time.Minute)),
			dispatched("3", "fix the auth bug", 2*time.Hour, func(t *tasks.State) {
				t.OnHold, t.Reason, t.RequeuedAt = true, "scripts/dev-setup.sh failed (exit 1): no compiler", ago(time.Hour)
			}),
			dispatched("4", "find out why the kite dives in a lull", time.Hour, runningOn("kite-10", 40*time.Minute)),
			dispatched("5", "sort the imports", time.Hour, runningOn("kite-1", 90*time.Second)),
			dispatched("9", "add a string of lights", 30*time.Minute, func(t *tasks.State) { t.Metadata["worker"] = "kite-1" }),
			dispatched("10", "count the knots", 20*time.Minute, nil),
			dispatched("8", "paint it red", 20*time.Minute, func(t *tasks.State) { t.ReservedFor = "kite-2" }),
		},
	}
}

// measured is a pool of which it is known what two dispatches changed.
func measured() *Pane {
	p := New()
	b := kites()
	p.SetBoard(b, noon)
	p.SetNeeds(attention.Look(noon, b, fleet.Away{}))
	p.pens = newPens(false)
	p.SetSizes(map[string]*changes.Size{"abc1230": {}, "abc1231": {Files: 3, Added: 120, Removed: 4}})
	return p
}

// textOf is what a pane shows, without style.
func textOf(p screen, width, height int) string {
	return ansi.Strip(strings.Join(p.View(width, height), "\n"))
}

// The queue comes first in its order, then what runs by worker, then what ended last.
func TestPoolOrder(t *testing.T) {
	p := measured()
	var ids, held []string
	for _, i := range p.rows {
		ids = append(ids, p.all[i].ID)
		owner, _ := p.holder(i)
		held = append(held, owner)
	}
	if want := strings.Fields("8 9 10 5 4 2 3 1"); !slices.Equal(ids, want) {
		t.Errorf("%v, want %v", ids, want)
	}
	if want := []string{"kite-2", "place 1", "place 2", "kite-1", "kite-10", "kite-10", "", "kite-1"}; !slices.Equal(held, want) {
		t.Errorf("%q, want %q", held, want)
	}
}

// Each row says how long, and in the history how much and where.
func TestPoolRows(t *testing.T) {
	text := textOf(measured(), 120, 20)
	for _, want := range []string{
		"Queue  3", "9   add a string of lights  for kite-1", "place 1      30m", "Running  2", "● running  5   sort the imports",
		"✓ done     2   make the tail longer…", "1h55m  +120 −4  dispatch/kite-10-2", "nothing  dispatch/kite-1-1",
		"▲ failed   3   fix the auth bug  scripts/dev-setup.sh failed (exit 1): no compiler",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if info := measured().Info(); info != "3Q 2R 2D 1F" {
		t.Error(info)
	}
}

// A filter looks at whole commands, and leaves groups out that have nothing of it. The places in the queue stay.
func TestPoolFilter(t *testing.T) {
	p := measured()
	if err := p.SetFilter("spins"); err != nil {
		t.Fatal(err)
	}
	text := textOf(p, 80, 12)
	if !strings.Contains(text, "make the tail") || strings.Contains(text, "Queue") || strings.Contains(text, "paint") {
		t.Error(text)
	}
	_ = p.SetFilter("knots")
	if text := textOf(p, 80, 12); !strings.Contains(text, "place 2") {
		t.Error(text)
	}
	_ = p.SetFilter("no such command")
	if text := textOf(p, 80, 12); !strings.Contains(text, "none of 8 commands shown") {
		t.Error(text)
	}
}

// The heading of the first group stays in sight, a click on a heading selects nothing, one on a row its dispatch.
func TestPoolMoves(t *testing.T) {
	p := measured()
	p.View(60, 4)
	p.Bottom()
	if text := textOf(p, 60, 4); !strings.Contains(text, "changelog") || strings.Contains(text, "Queue") {
		t.Error(text)
	}
	p.Top()
	if text := textOf(p, 60, 4); !strings.HasPrefix(text, " Queue") {
		t.Error(text)
	}
	p.View(60, 20)
	for y, want := range []string{"8", "8", "9", "10", "10", "5"} {
		if p.Click(3, y); p.selectedID() != want {
			t.Errorf("row %d selects %s, want %s", y, p.selectedID(), want)
		}
	}
}

// What was counted is not counted again; what cannot be counted is told as nothing.
func TestUnmeasured(t *testing.T) {
	p := New()
	p.SetBoard(kites(), noon)
	ids := func() (ids []string) {
		for _, one := range p.Unmeasured() {
			ids = append(ids, one.ID)
		}
		return ids
	}
	if is := ids(); !slices.Equal(is, []string{"2", "1"}) {
		t.Error(is)
	}
	p.SetSizes(Measure(t.Context(), fleet.Dir(t.TempDir()), p.Unmeasured()))
	if is := ids(); len(is) > 0 || strings.Contains(textOf(p, 120, 20), "+") {
		t.Errorf("%v\n%s", is, textOf(p, 120, 20))
	}
	if is := showing(harbour()).Unmeasured(); len(is) > 0 {
		t.Errorf("a voyage has %d", len(is))
	}
}

// The detail has the whole command, however long it is.
func TestDispatchDetail(t *testing.T) {
	p, b := New(), kites()
	var long strings.Builder
	for i := range 300 {
		fmt.Fprintf(&long, "line %d of the command\n", i)
	}
	b.Tasks[6].Description = long.String()
	p.SetBoard(b, noon)
	d := NewDetail(&p.Tasks, "10")
	for _, want := range []string{"Place      2 in the queue", "Dispatched 11:40 · 20m ago", "Base       9e8d7c6, main", "line 299 of the command"} {
		if text := textOf(d, 80, 400); !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	d = NewDetail(&p.Tasks, "2")
	d.SetData(taskstory.DetailData{ID: "2", Dispatch: &fleet.DispatchResult{
		Commit: "abc1231", Said: "It is longer now.", Began: ago(time.Hour), Ended: ago(5 * time.Minute), Usage: fleet.DispatchTokens{Tokens: 12_300, CostUSD: 0.41},
	}})
	for _, want := range []string{"Took       55m00s", "Branch     dispatch/kite-10-2", "Used       $0.41, 12k tokens", "It tears in strong wind", "Summary", "It is longer now."} {
		if text := textOf(d, 80, 60); !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

func TestHostileDispatches(t *testing.T) {
	for _, all := range []bool{false, true} {
		b := kites()
		cleantest.Fill(b, all)
		b.Voyage.Kind = fleet.Pool
		for i := range b.Tasks {
			b.Tasks[i].ID = fmt.Sprint(i + 1)
			b.Tasks[i].Status = []tasks.Status{tasks.Pending, tasks.InProgress, tasks.Completed}[i%3]
		}
		p := New()
		p.SetBoard(b, noon)
		for _, width := range []int{20, 38, 60, 120, 200} {
			exact(t, p.View(width, 30), width, 30)
			for i := range b.Tasks {
				d := NewDetail(&p.Tasks, b.Tasks[i].ID)
				r := fleet.DispatchResult{}
				cleantest.Fill(&r, all)
				d.SetData(taskstory.DetailData{ID: b.Tasks[i].ID, Dispatch: &r})
				exact(t, d.View(width, 60), width, 60)
				cleantest.Check(t, "detail", strings.Join(d.View(width, 60), "\n"), cleantest.Lines)
			}
			cleantest.Check(t, "list", strings.Join(p.View(width, 30), "\n"), cleantest.Lines)
		}
	}
}
