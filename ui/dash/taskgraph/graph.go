// Package taskgraph lays out tasks as a graph: a column of boxes for each level, and lines between them.
package taskgraph

import (
	"cmp"
	"fmt"
	"slices"
	"sort"

	"ocaptain/tasks"
	"ocaptain/ui/words"
)

// The sizes of the graph, in cells.
const (
	narrowest = 26 // width of a box, in cells
	widest    = 44
	BoxHeight = 4 // two rows of text: lines enter at the first and leave at the second
	maxTracks = 10
)

// Graph is a layout of tasks: each level is a column of boxes, with channels between columns for
// the lines.
type Graph struct {
	columns  [][]int32 // tasks of each column, from top to bottom
	Titles   []string
	Left     []int // left edge of each column
	Wide     int   // width of a box
	slot     []int32
	column   []int32
	channels []channel // after each column
	out      []exit
	in       []entry
	Also     [][]int32 // blockers of each task without a line
	Order    []int32   // tasks by column, from top to bottom
	next     []int32   // the next task on the critical path, -1 for none
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

// Fit makes the boxes as wide as the window allows, within limits.
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

// markCritical marks the longest chain of tasks that wait for each other, if any task waits.
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

// Corner returns the upper left corner of a task's box.
func (g *Graph) Corner(i int32) (x, y int) { return g.Left[g.column[i]], int(g.slot[i]) * BoxHeight }

// Gap returns the width of the channel after a column.
func (g *Graph) Gap(c int) int { return g.channels[c].Width }

// Leaves reports whether a line leaves a box, and whether it is on the critical path.
func (g *Graph) Leaves(i int32) (line, heavy bool) { return g.out[i].track >= 0, g.out[i].heavy }

// IsFirst reports whether a task is in the first column.
func (g *Graph) IsFirst(i int32) bool { return g.column[i] == 0 }

// fill puts the tasks into columns, with the tasks that can never be ready in a last column.
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

// place gives every task its slot: near the middle of its blockers, as far as the tasks above leave
// room.
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

// At returns the task whose box is at this place of the whole picture, -1 for none.
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

// Across returns the shown task n columns from task i that is nearest to i's row.
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
