package taskpane

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"ocaptain/fleet"
	"ocaptain/tasks"
	"ocaptain/ui/dash/standing/standingtest"
)

// ids returns the shown tasks, in order.
func ids(p *Pane) []string {
	var all []string
	for _, i := range p.rows {
		all = append(all, p.All[i].ID)
	}
	return all
}

func want(t *testing.T, p *Pane, list string) {
	t.Helper()
	if got := strings.Join(ids(p), " "); got != list {
		t.Errorf("shown are %q, want %q", got, list)
	}
}

func TestListOrder(t *testing.T) {
	want(t, showing(standingtest.Harbour()), "3 4 8 5 6 10 9 1 2 7")
}

// The cursor stays on its task whatever happens to that task, the others and the order.
func TestCursorStays(t *testing.T) {
	p := showing(standingtest.Harbour())
	p.Select("8")
	next := standingtest.Harbour()
	next.Tasks[7].Status, next.Tasks[7].Owner, next.Tasks[7].ClaimedAt = tasks.InProgress, "ship-2", standingtest.Noon
	p.SetBoard(next, standingtest.Noon)
	if got := p.Selected(); got.ID != "8" || got.Owner != "ship-2" {
		t.Fatalf("selected %+v", got.Task)
	}
	for range modes {
		p.CycleMode()
		if got := p.Selected().ID; got != "8" {
			t.Errorf("%s: selected %s", p.mode, got)
		}
	}
	more := standingtest.Harbour()
	more.Tasks = slices.Insert(more.Tasks, 0, standingtest.Task("0", "First of all", tasks.Pending))
	p.SetBoard(more, standingtest.Noon)
	if got := p.Selected().ID; got != "8" {
		t.Errorf("after a task was added %s is selected", got)
	}
	less := standingtest.Harbour()
	less.Tasks = slices.Delete(less.Tasks, 7, 8)
	p.SetBoard(less, standingtest.Noon)
	if p.Selected() == nil {
		t.Error("nothing is selected after the task is gone")
	}
	p.SetBoard(&fleet.Board{}, standingtest.Noon)
	if p.Selected() != nil {
		t.Error("a task of an empty board is selected")
	}
	p.MoveBy(1)
	p.Top()
}

func TestMoves(t *testing.T) {
	p := showing(standingtest.Harbour())
	p.View(80, 20)
	on := func(id string) {
		t.Helper()
		if got := p.Selected().ID; got != id {
			t.Errorf("on %s, want %s", got, id)
		}
	}
	p.MoveBy(2)
	on("8")
	p.Bottom()
	on("7")
	p.MoveBy(1)
	on("7")
	p.Top()
	on("3")
	p.PageBy(1)
	on("7")
	p.SetMode(Graph)
	p.Select("3")
	p.MoveAcross(1)
	on("5")
	p.MoveAcross(-2)
	on("2")
	p.SetMode(Tree)
	p.Select("5")
	p.MoveAcross(-1)
	on("3")
	p.MoveAcross(1)
	on("5")
	if p.Select("99") {
		t.Error("selected a task that does not exist")
	}
}

// The wheel scrolls the window and not the cursor; moving the cursor scrolls back to it.
func TestWheel(t *testing.T) {
	p := showing(standingtest.Large(500))
	p.View(100, 20)
	first := p.Selected().ID
	p.Wheel(200)
	p.View(100, 20)
	if p.window.first != 200 || p.Selected().ID != first {
		t.Errorf("window at %d, %s selected", p.window.first, p.Selected().ID)
	}
	p.Wheel(10_000)
	p.View(100, 20)
	if p.window.first+p.window.rows != 500 {
		t.Errorf("window at %d", p.window.first)
	}
	p.MoveBy(1)
	p.View(100, 20)
	if p.window.first > 1 {
		t.Errorf("window at %d after a move", p.window.first)
	}
}

// A click selects the task drawn there, in every mode.
func TestClick(t *testing.T) {
	for m := List; m <= Graph; m++ {
		p := showing(standingtest.Harbour())
		p.SetMode(m)
		p.Select("1")
		for _, id := range []string{"2", "3", "8"} {
			rows := p.View(120, 30)
			name := p.All[p.Order.Place[id]].Subject
			for y, row := range rows[:22] {
				if x := strings.Index(ansi.Strip(row), name[:9]); x >= 0 {
					p.Click(ansi.StringWidth(ansi.Strip(row)[:x]), y)
					break
				}
			}
			if got := p.Selected().ID; got != id {
				t.Errorf("%s: a click on %s selected %s", m, id, got)
			}
		}
		rows := p.View(120, 30)
		for y, row := range rows {
			if strings.Contains(ansi.Strip(row), "[ship-1]") {
				p.Click(3, y)
			}
		}
		if got := p.Selected().ID; got != "4" {
			t.Errorf("%s: a click on ship-1's work selected %s", m, got)
		}
		p.Click(-1, -1)
		p.Click(500, 500)
	}
}

// A task that waits for a time becomes ready at that time.
func TestTimePasses(t *testing.T) {
	p := showing(standingtest.Harbour())
	if p.Tally[fleet.TaskReady] != 1 {
		t.Fatalf("%d ready", p.Tally[fleet.TaskReady])
	}
	p.SetNow(standingtest.Noon.Add(3 * time.Hour))
	if p.Tally[fleet.TaskReady] != 2 {
		t.Errorf("%d ready after the time has come", p.Tally[fleet.TaskReady])
	}
	want(t, p, "3 4 8 9 5 6 10 1 2 7")
}

func TestInfo(t *testing.T) {
	p := showing(standingtest.Harbour())
	p.View(80, 20)
	if got := p.Info(); got != "5 pending, 2 working, 3 done · 3 blocked" {
		t.Errorf("got %q", got)
	}
	p.ReadyOnly(true)
	p.CycleMode()
	p.SetNow(standingtest.Noon.Add(time.Hour))
	p.View(40, 20)
	if got := p.Info(); got != "5P 2W 3D · ready only · 1 shown · tree · as of 1h00m ago" {
		t.Errorf("got %q", got)
	}
}

// The cursor stays on the first of the list, where the work is, until the captain selects a task;
// then it stays on that task.
func TestCursorStaysAtTheWork(t *testing.T) {
	p, board := New(), someBoard(3)
	p.SetBoard(board, standingtest.Noon)
	p.View(60, 20)
	if got := p.Selected().ID; got != "1" {
		t.Fatalf("it begins on %s", got)
	}
	next := someBoard(3)
	next.Tasks[2].Status, next.Tasks[2].Owner = tasks.InProgress, "ship-0"
	p.SetBoard(next, standingtest.Noon)
	if got := p.Selected().ID; got != "3" {
		t.Errorf("with work on 3 it is on %s", got)
	}
	p.MoveBy(1)
	chosen := p.Selected().ID
	p.SetBoard(someBoard(3), standingtest.Noon)
	if got := p.Selected().ID; got != chosen {
		t.Errorf("%s was chosen and it is on %s", chosen, got)
	}
}

// someBoard returns a board with n tasks that wait for nothing.
func someBoard(n int) *fleet.Board {
	b := &fleet.Board{At: standingtest.Noon}
	for i := range n {
		b.Tasks = append(b.Tasks, tasks.State{Task: tasks.Task{ID: fmt.Sprint(i + 1), Subject: "task", Status: tasks.Pending}})
	}
	return b
}
