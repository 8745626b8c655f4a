package taskpane

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"ocaptain/fleet"
	"ocaptain/tasks"
)

// random is a board of n tasks that wait for earlier ones, or for any when loops may be.
func random(r *rand.Rand, n int, loops bool) *fleet.Board {
	b := &fleet.Board{At: noon, Ships: []fleet.ShipView{ship("ship-0", fleet.Working, "")}}
	for i := range n {
		t := task(fmt.Sprint(i), "Task", tasks.Pending)
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

func graphOf(b *fleet.Board) (*shape, *graph) {
	s := newShape(b.Tasks)
	return s, newGraph(b.Tasks, s)
}

// The shape of a board and the critical path are those of tasks.Graph.
func TestShapeIsThatOfTasks(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for round := range 200 {
		b := random(r, 1+r.IntN(40), round%2 == 0)
		plain := make([]tasks.Task, len(b.Tasks))
		for i := range b.Tasks {
			plain[i] = b.Tasks[i].Task
		}
		g := tasks.NewGraph(plain)
		s, own := graphOf(b)
		for i := range b.Tasks {
			if id := b.Tasks[i].ID; int(s.level[i]) != g.Level(id) {
				t.Fatalf("task %s is on level %d, want %d", id, s.level[i], g.Level(id))
			}
		}
		path, _ := g.Critical()
		var got []string
		for i, on := range own.critical {
			if on {
				got = append(got, b.Tasks[i].ID)
			}
		}
		slices.SortFunc(got, func(a, b string) int { return g.Level(a) - g.Level(b) })
		if len(path) < 2 {
			path = nil
		}
		if !slices.Equal(got, path) {
			t.Fatalf("critical path %v, want %v", got, path)
		}
	}
}

// Every blocker of every task is told once: by a line, or in words on the box. Nets on one
// track do not touch.
func TestEveryBlockerIsTold(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for round := range 200 {
		s, g := graphOf(random(r, 1+r.IntN(120), round%3 == 0))
		told := map[[2]int32]int{}
		for c := range g.channels {
			for _, track := range g.channels[c].tracks {
				for n, net := range track {
					if n > 0 && track[n-1].bottom >= net.top {
						t.Fatalf("nets %+v and %+v touch", track[n-1], net)
					}
					for _, to := range net.to {
						told[[2]int32{net.from, to}]++
					}
				}
			}
		}
		for i, list := range g.also {
			for _, j := range list {
				told[[2]int32{j, int32(i)}]++
			}
		}
		edges := 0
		for i, list := range s.before {
			for _, j := range list {
				if edges++; told[[2]int32{j, int32(i)}] != 1 {
					t.Fatalf("task %d waits for %d, told %d times", i, j, told[[2]int32{j, int32(i)}])
				}
			}
		}
		if len(told) != edges {
			t.Fatalf("%d told, %d blockers", len(told), edges)
		}
		for c, list := range g.columns {
			for n := 1; n < len(list); n++ {
				if g.slot[list[n-1]] >= g.slot[list[n]] {
					t.Fatalf("column %d: tasks on top of each other", c)
				}
			}
		}
	}
}

// The part of the picture that is drawn is the same wherever the window is.
func TestWindowShowsOnePicture(t *testing.T) {
	p := showing(random(rand.New(rand.NewPCG(5, 6)), 60, false))
	p.SetMode(Graph)
	p.Select("0")
	whole := picture(p, 0, 0, p.graph.width, p.graph.height)
	for _, at := range [][2]int{{0, 0}, {7, 3}, {29, 11}, {40, 20}} {
		x, y := min(at[0], p.graph.width-50), min(at[1], p.graph.height-10)
		for n, row := range picture(p, x, y, 50, 10) {
			if want := ansi.Cut(whole[y+n], x, x+50); row != strings.TrimRight(want, " ") {
				t.Fatalf("row %d from %d: %q, want %q", y+n, x, row, want)
			}
		}
	}
}

// picture is a part of the graph without styles.
func picture(p *Pane, x, y, width, height int) []string {
	p.pens = newPens(false)
	p.window.loose, p.window.left, p.window.up = true, x, y
	var rows []string
	for _, row := range p.viewGraph(width, height+1)[1:] {
		rows = append(rows, strings.TrimRight(ansi.Strip(row), " "))
	}
	return rows
}

// A line leads from its task to the other one: going along it from the box ends at the arrow.
func TestLinesLead(t *testing.T) {
	b := &fleet.Board{At: noon, Tasks: linked([]tasks.State{
		task("1", "one", tasks.Completed), task("2", "two", tasks.Pending),
		task("3", "three", tasks.Pending, "1"), task("4", "four", tasks.Pending, "1", "2"), task("5", "five", tasks.Pending, "2"),
	})}
	p := showing(b)
	p.SetMode(Graph)
	got := strings.Join(picture(p, 0, 0, p.graph.width, p.graph.height), "\n")
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
