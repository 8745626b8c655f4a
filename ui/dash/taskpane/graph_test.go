package taskpane

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"ocaptain/fleet"
	"ocaptain/tasks"
	"ocaptain/ui/dash/standing/standingtest"
)

// Any window shows the same picture in the part it covers.
func TestWindowShowsOnePicture(t *testing.T) {
	p := showing(standingtest.Random(rand.New(rand.NewPCG(5, 6)), 60, false))
	p.SetMode(Graph)
	p.Select("0")
	whole := picture(p, 0, 0, p.graph.Width, p.graph.Height)
	for _, at := range [][2]int{{0, 0}, {7, 3}, {29, 11}, {40, 20}} {
		x, y := min(at[0], p.graph.Width-50), min(at[1], p.graph.Height-10)
		for n, row := range picture(p, x, y, 50, 10) {
			if want := ansi.Cut(whole[y+n], x, x+50); row != strings.TrimRight(want, " ") {
				t.Fatalf("row %d from %d: %q, want %q", y+n, x, row, want)
			}
		}
	}
}

// picture returns a part of the graph without styles.
func picture(p *Pane, x, y, width, height int) []string {
	p.pens = newPens(false)
	p.window.loose, p.window.left, p.window.up = true, x, y
	var rows []string
	for _, row := range p.viewGraph(width, height+1)[1:] {
		rows = append(rows, strings.TrimRight(ansi.Strip(row), " "))
	}
	return rows
}

// Each line leads from its task to a dependent: followed from the box, it ends at the arrow.
func TestLinesLead(t *testing.T) {
	b := &fleet.Board{At: standingtest.Noon, Tasks: standingtest.Linked([]tasks.State{
		standingtest.Task("1", "one", tasks.Completed), standingtest.Task("2", "two", tasks.Pending),
		standingtest.Task("3", "three", tasks.Pending, "1"), standingtest.Task("4", "four", tasks.Pending, "1", "2"), standingtest.Task("5", "five", tasks.Pending, "2"),
	})}
	p := showing(b)
	p.SetMode(Graph)
	got := strings.Join(picture(p, 0, 0, p.graph.Width, p.graph.Height), "\n")
	want := strings.TrimPrefix(`
┏━━━━━━━━━━━━━━━━━━━━━━━━┓       ┏━━━━━━━━━━━━━━━━━━━━━━━━┓
┃ ✓ 1 one                ┃ ┏━━━━▸┃ ○ 3 three              ┃
┃   completed            ┣━┩     ┃   ready                ┃
┗━━━━━━━━━━━━━━━━━━━━━━━━┛ │     ┗━━━━━━━━━━━━━━━━━━━━━━━━┛
╭────────────────────────╮ │     ╭────────────────────────╮
│ ○ 2 two                │ ╰─┬──▸│ ◇ 4 four               │
│   ready                ├───┤   │   blocked after 2      │
╰────────────────────────╯   │   ╰────────────────────────╯
                             │   ╭────────────────────────╮
                             ╰──▸│ ◇ 5 five               │
                                 │   blocked after 2      │
                                 ╰────────────────────────╯`, "\n")
	if got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}
