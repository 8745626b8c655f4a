// Package taskgraph lays out tasks as a graph: a column of boxes for each level, and lines between.
package taskgraph

import (
	"cmp"
	"fmt"
	"slices"
	"sort"

	"ocaptain/tasks"
	"ocaptain/ui/words"
)

// The measures of the graph, in cells.
const (
	narrowest = 26 // of boxes
	widest    = 44
	BoxHeight = 4 // two rows of text: lines come in at the first and go out at the second
	maxTracks = 10
)

// Graph is the tasks laid out: each level is a column of boxes, and between columns are
// channels in which lines run.
type Graph struct {
	columns  [][]int32 // tasks of each column, from top to bottom
	Titles   []string
	Left     []int // where each column begins
	Wide     int   // how wide a box is
	slot     []int32
	column   []int32
	channels []channel // behind each column
	out      []exit
	in       []entry
	Also     [][]int32 // blockers of each task to which no line is drawn
	Order    []int32   // of the columns, one after the other
	next     []int32   // the task that follows on the critical path, -1 for none
	Critical []bool
	Width    int
	Height   int
}

// New lays out tasks.
func New(o *tasks.Order, task func(int) *tasks.Task) *Graph {
	n := len(o.Before)
	g := &Graph{slot: make([]int32, n), column: make([]int32, n), Also: make([][]int32, n)}
	g.markCritical(o, task)
	g.fill(o)
	g.place(o)
	g.route(o)
	g.Left = make([]int, len(g.columns))
	for c := range g.columns {
		g.Order = append(g.Order, g.columns[c]...)
	}
	g.Fit(0)
	return g
}

// Fit makes the boxes as wide as a window has room for, within reason.
func (g *Graph) Fit(width int) {
	room := width
	for c := range g.columns {
		if c < len(g.columns)-1 {
			room -= g.channels[c].Width
		}
	}
	g.Wide = max(narrowest, min(widest, room/max(1, len(g.columns))))
	x := 0
	for c := range g.columns {
		g.Left[c] = x
		g.Width = x + g.Wide
		x = g.Width + g.channels[c].Width
	}
}

// markCritical marks the longest chain of tasks that wait for each other. Where nothing waits for anything, no chain
// stands out.
func (g *Graph) markCritical(o *tasks.Order, task func(int) *tasks.Task) {
	g.next, g.Critical = make([]int32, len(o.Before)), make([]bool, len(o.Before))
	for i := range g.next {
		g.next[i] = -1
	}
	chain, _ := o.Critical(task)
	for n, i := range chain {
		g.Critical[i] = len(chain) > 1
		if n > 0 {
			g.next[chain[n-1]] = i
		}
	}
}

// Corner is where the box of a task begins.
func (g *Graph) Corner(i int32) (x, y int) { return g.Left[g.column[i]], int(g.slot[i]) * BoxHeight }

// Gap is the width of the channel behind a column.
func (g *Graph) Gap(c int) int { return g.channels[c].Width }

// Leaves tells whether a line goes out of a box, and whether it is the critical path.
func (g *Graph) Leaves(i int32) (line, heavy bool) { return g.out[i].track >= 0, g.out[i].heavy }

// IsFirst tells whether a task is in the first column.
func (g *Graph) IsFirst(i int32) bool { return g.column[i] == 0 }

// fill puts the tasks into columns, those that can never be ready into one at the end.
func (g *Graph) fill(o *tasks.Order) {
	deepest := int32(0)
	for _, l := range o.Level {
		deepest = max(deepest, l)
	}
	g.columns = make([][]int32, deepest)
	var caught []int32
	for i, l := range o.Level {
		if l == 0 {
			caught = append(caught, int32(i))
			continue
		}
		g.columns[l-1] = append(g.columns[l-1], int32(i))
	}
	if len(caught) > 0 {
		g.columns = append(g.columns, caught)
	}
	for c, list := range g.columns {
		title := fmt.Sprintf("level %d", c+1)
		if int32(c) == deepest {
			title = "never ready"
		}
		g.Titles = append(g.Titles, title+" · "+words.Counted(len(list), "task"))
		for _, i := range list {
			g.column[i] = int32(c)
		}
	}
}

// place gives every task its slot: beside the middle of what it waits for, as far as the
// tasks above leave room.
func (g *Graph) place(o *tasks.Order) {
	wish := make([]float64, len(g.slot))
	for c, list := range g.columns {
		for _, i := range list {
			sum, n := 0.0, 0
			for _, j := range o.Before[i] {
				if int(g.column[j]) < c {
					sum += float64(g.slot[j])
					n++
				}
			}
			if n > 0 {
				wish[i] = sum / float64(n)
			}
		}
		slices.SortStableFunc(list, func(a, b int32) int { return cmp.Compare(wish[a], wish[b]) })
		next := int32(0)
		for _, i := range list {
			g.slot[i] = max(next, int32(wish[i]))
			next = g.slot[i] + 1
		}
		g.Height = max(g.Height, int(next)*BoxHeight)
	}
}

// At returns the task whose box is at that place of the whole picture, -1 for none.
func (g *Graph) At(x, y int) int32 {
	c := sort.SearchInts(g.Left, x+1) - 1
	if c < 0 || x >= g.Left[c]+g.Wide || y < 0 {
		return -1
	}
	return g.Box(c, int32(y/BoxHeight))
}

// Box returns the task in a slot of a column, -1 for none.
func (g *Graph) Box(c int, slot int32) int32 {
	list := g.columns[c]
	n, found := slices.BinarySearchFunc(list, slot, func(i, slot int32) int { return cmp.Compare(g.slot[i], slot) })
	if !found {
		return -1
	}
	return list[n]
}

// Across returns the shown task n columns away from i: the one that it is beside.
func (g *Graph) Across(i int32, n int, show func(int32) bool) int32 {
	step := max(-1, min(1, n))
	for c := int(g.column[i]) + step; n != 0 && c >= 0 && c < len(g.columns); c += step {
		best := int32(-1)
		for _, j := range g.columns[c] {
			if show(j) && (best < 0 || distance(g.slot[j], g.slot[i]) < distance(g.slot[best], g.slot[i])) {
				best = j
			}
		}
		if best >= 0 {
			i = best
			n -= step
		}
	}
	return i
}

func distance(a, b int32) int32 { return max(a-b, b-a) }
