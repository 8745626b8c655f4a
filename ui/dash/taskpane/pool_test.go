package taskpane

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"ocaptain/fleet/dispatch"
	"ocaptain/fleet/need"
	"ocaptain/ui/dash/golden"
	"ocaptain/ui/dash/standing/standingtest"
	"ocaptain/ui/dash/tasksheet"
	"ocaptain/ui/dash/taskstory"

	"github.com/charmbracelet/x/ansi"

	"ocaptain/fleet"
	"ocaptain/fleet/clean/cleantest"
	"ocaptain/tasks"
	"ocaptain/ui/changes"
	"ocaptain/ui/dash/attention"
)

// measured returns a pool with the known sizes of two dispatches' changes.
func measured() *Pane {
	p := New()
	b := standingtest.Kites()
	p.SetBoard(b, standingtest.Noon)
	p.SetNeeds(attention.Look(standingtest.Noon, b, need.Away{}))
	p.pens = newPens(false)
	p.SetSizes(map[string]*changes.Size{"abc1230": {}, "abc1231": {Files: 3, Added: 120, Removed: 4}})
	return p
}

// textOf returns what a pane shows, without style.
func textOf(p golden.View, width, height int) string {
	return ansi.Strip(strings.Join(p.View(width, height), "\n"))
}

// The queue comes first in its order, then what runs, by worker, then what ended, last first.
func TestPoolOrder(t *testing.T) {
	p := measured()
	var ids, held []string
	for _, i := range p.rows {
		ids = append(ids, p.All[i].ID)
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

// Each row shows a duration, and in the history the size of the change and its branch.
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

// A filter searches whole commands and hides empty groups. Places in the queue stay the same.
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

// The heading of the first group stays in sight; a click on a heading selects nothing, a click on a row its
// dispatch.
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

// Sizes are counted once; a size that cannot be counted is shown as none.
func TestUnmeasured(t *testing.T) {
	p := New()
	p.SetBoard(standingtest.Kites(), standingtest.Noon)
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
	if is := showing(standingtest.Harbour()).Unmeasured(); len(is) > 0 {
		t.Errorf("a voyage has %d", len(is))
	}
}

func TestHostileDispatches(t *testing.T) {
	for _, all := range []bool{false, true} {
		b := standingtest.Kites()
		cleantest.Fill(b, all)
		b.Voyage.Kind = fleet.Pool
		for i := range b.Tasks {
			b.Tasks[i].ID = fmt.Sprint(i + 1)
			b.Tasks[i].Status = []tasks.Status{tasks.Pending, tasks.InProgress, tasks.Completed}[i%3]
		}
		p := New()
		p.SetBoard(b, standingtest.Noon)
		for _, width := range []int{20, 38, 60, 120, 200} {
			golden.Exact(t, p.View(width, 30), width, 30)
			for i := range b.Tasks {
				d := tasksheet.New(&p.Tasks, b.Tasks[i].ID)
				r := dispatch.Result{}
				cleantest.Fill(&r, all)
				d.SetData(taskstory.DetailData{ID: b.Tasks[i].ID, Dispatch: &r})
				golden.Exact(t, d.View(width, 60), width, 60)
				cleantest.Check(t, "detail", strings.Join(d.View(width, 60), "\n"), cleantest.Lines)
			}
			cleantest.Check(t, "list", strings.Join(p.View(width, 30), "\n"), cleantest.Lines)
		}
	}
}
