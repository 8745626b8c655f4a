package taskpane

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
	boxWidth  = 26
	boxHeight = 4 // two rows of text: lines come in at the first and go out at the second
	maxTracks = 10
)

// graph is the tasks laid out: each level is a column of boxes, and between columns are
// channels in which lines run.
type graph struct {
	columns  [][]int32 // tasks of each column, from top to bottom
	titles   []string
	left     []int // where each column begins
	slot     []int32
	column   []int32
	channels []channel // behind each column
	out      []exit
	in       []entry
	also     [][]int32 // blockers of each task to which no line is drawn
	order    []int32   // of the columns, one after the other
	next     []int32   // the task that follows on the critical path, -1 for none
	critical []bool
	width    int
	height   int
}

func newGraph(all []tasks.State, s *shape) *graph {
	n := len(all)
	g := &graph{slot: make([]int32, n), column: make([]int32, n), also: make([][]int32, n)}
	g.findCritical(all, s)
	g.fill(s)
	g.place(s)
	g.route(s)
	x := 0
	for c := range g.columns {
		g.left = append(g.left, x)
		x += boxWidth + g.channels[c].width
		g.order = append(g.order, g.columns[c]...)
	}
	if len(g.left) > 0 {
		g.width = g.left[len(g.left)-1] + boxWidth
	}
	return g
}

// fill puts the tasks into columns, those that can never be ready into one at the end.
func (g *graph) fill(s *shape) {
	deepest := int32(0)
	for _, l := range s.level {
		deepest = max(deepest, l)
	}
	g.columns = make([][]int32, deepest)
	var caught []int32
	for i, l := range s.level {
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
		g.titles = append(g.titles, title+" · "+words.Count(len(list), "task"))
		for _, i := range list {
			g.column[i] = int32(c)
		}
	}
}

// place gives every task its slot: beside the middle of what it waits for, as far as the
// tasks above leave room.
func (g *graph) place(s *shape) {
	wish := make([]float64, len(g.slot))
	for c, list := range g.columns {
		for _, i := range list {
			sum, n := 0.0, 0
			for _, j := range s.before[i] {
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
		g.height = max(g.height, int(next)*boxHeight)
	}
}

// at returns the task whose box is at that place of the whole picture, -1 for none.
func (g *graph) at(x, y int) int32 {
	c := sort.SearchInts(g.left, x+1) - 1
	if c < 0 || x >= g.left[c]+boxWidth || y < 0 {
		return -1
	}
	return g.box(c, int32(y/boxHeight))
}

// box returns the task in a slot of a column, -1 for none.
func (g *graph) box(c int, slot int32) int32 {
	list := g.columns[c]
	n, found := slices.BinarySearchFunc(list, slot, func(i, slot int32) int { return cmp.Compare(g.slot[i], slot) })
	if !found {
		return -1
	}
	return list[n]
}

// across returns the shown task n columns away from i: the one that it is beside.
func (g *graph) across(i int32, n int, show func(int32) bool) int32 {
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
