package tasks

import (
	"cmp"
	"slices"
	"time"
)

// Graph is the order that blockers force on a set of tasks. It is built once and
// only read afterwards, so it may be shared between goroutines.
type Graph struct {
	tasks  []Task // in the order of CompareIDs, one for each id
	index  map[string]int
	before [][]int // the tasks that each one waits for
	after  [][]int // the tasks that wait for each one
	level  []int   // 1 for a task that waits for nothing, 0 on or behind a cycle
	sorted []int   // every task with a level, after its blockers
	levels [][]string

	estimated bool
	height    []time.Duration // of the longest chain from each task to an end
}

// Group is a set of tasks that one ship claims together.
type Group struct {
	Name  string
	Tasks []string
}

// NewGraph builds the graph of all tasks. A blocker counts whether the waiting
// task names it in BlockedBy or the blocker names the waiting task in Blocks.
// Of tasks with the same id the first one counts. References to tasks that do not exist are
// left out, and cycles are allowed here, see Cycles.
func NewGraph(all []Task) *Graph {
	g := &Graph{index: make(map[string]int, len(all))}
	seen := make(map[string]bool, len(all))
	for _, t := range all {
		if !seen[t.ID] {
			seen[t.ID] = true
			g.tasks = append(g.tasks, t)
		}
	}
	slices.SortStableFunc(g.tasks, func(a, b Task) int { return CompareIDs(a.ID, b.ID) })
	for i, t := range g.tasks {
		g.index[t.ID] = i
	}
	g.connect()
	g.layer()
	g.weigh()
	return g
}

// connect turns the references of the tasks into edges, each one once.
func (g *Graph) connect() {
	g.before = make([][]int, len(g.tasks))
	g.after = make([][]int, len(g.tasks))
	for i, t := range g.tasks {
		for _, id := range t.BlockedBy {
			if j, ok := g.index[id]; ok {
				g.before[i] = append(g.before[i], j)
			}
		}
		for _, id := range t.Blocks {
			if j, ok := g.index[id]; ok {
				g.before[j] = append(g.before[j], i)
			}
		}
	}
	for i, list := range g.before {
		slices.Sort(list)
		g.before[i] = slices.Compact(list)
		for _, j := range g.before[i] {
			g.after[j] = append(g.after[j], i)
		}
	}
}

// layer gives every task its level, taking away tasks that nothing holds back
// until none is left. What is left over is on a cycle or behind one.
func (g *Graph) layer() {
	g.level = make([]int, len(g.tasks))
	open := make([]int, len(g.tasks))
	for i, list := range g.before {
		if open[i] = len(list); open[i] == 0 {
			g.level[i] = 1
			g.sorted = append(g.sorted, i)
		}
	}
	reached := make([]int, len(g.tasks)) // level that the blockers seen so far ask for
	for next := 0; next < len(g.sorted); next++ {
		i := g.sorted[next]
		for _, j := range g.after[i] {
			reached[j] = max(reached[j], g.level[i]+1)
			if open[j]--; open[j] == 0 {
				g.level[j] = reached[j]
				g.sorted = append(g.sorted, j)
			}
		}
	}
	deepest := 0
	for _, l := range g.level {
		deepest = max(deepest, l)
	}
	g.levels = make([][]string, deepest)
	for i, l := range g.level {
		if l > 0 {
			g.levels[l-1] = append(g.levels[l-1], g.tasks[i].ID)
		}
	}
}

// Tasks returns the tasks in the order of CompareIDs. The caller must not change them.
func (g *Graph) Tasks() []Task { return g.tasks }

// Task returns the task with that id, or the zero one. The caller must not change it.
func (g *Graph) Task(id string) Task {
	if i, ok := g.index[id]; ok {
		return g.tasks[i]
	}
	return Task{}
}

// Level returns 1 for a task that waits for nothing, else one more than the highest
// level of its blockers; 0 for a task that can never be ready, and for an unknown one.
func (g *Graph) Level(id string) int {
	if i, ok := g.index[id]; ok {
		return g.level[i]
	}
	return 0
}

// Levels returns the ids of each level, the first level first.
func (g *Graph) Levels() [][]string { return g.levels }

// Never returns the tasks that are on a cycle or wait for one.
func (g *Graph) Never() []string {
	var ids []string
	for i, l := range g.level {
		if l == 0 {
			ids = append(ids, g.tasks[i].ID)
		}
	}
	return ids
}

// Blockers returns the existing tasks that id waits for.
func (g *Graph) Blockers(id string) []string { return g.names(g.before, id) }

// Dependents returns the tasks that wait for id.
func (g *Graph) Dependents(id string) []string { return g.names(g.after, id) }

func (g *Graph) names(edges [][]int, id string) []string {
	i, ok := g.index[id]
	if !ok {
		return nil
	}
	ids := make([]string, len(edges[i]))
	for n, j := range edges[i] {
		ids[n] = g.tasks[j].ID
	}
	return ids
}

// Width is the number of tasks on the fullest level.
func (g *Graph) Width() int {
	width := 0
	for _, l := range g.levels {
		width = max(width, len(l))
	}
	return width
}

// Ships is how many ships the fullest level keeps busy, at least 1. The tasks of
// one group go to one ship and count once.
func (g *Graph) Ships() int {
	ships := 1
	for _, l := range g.levels {
		busy := 0
		groups := map[string]bool{}
		for _, id := range l {
			name := g.tasks[g.index[id]].Group()
			if name == "" || !groups[name] {
				busy++
			}
			groups[name] = true
		}
		ships = max(ships, busy)
	}
	return ships
}

// Groups returns the groups by name, each with its tasks.
func (g *Graph) Groups() []Group {
	place := map[string]int{}
	var groups []Group
	for _, t := range g.tasks {
		name := t.Group()
		if name == "" {
			continue
		}
		i, ok := place[name]
		if !ok {
			i = len(groups)
			place[name] = i
			groups = append(groups, Group{Name: name})
		}
		groups[i].Tasks = append(groups[i].Tasks, t.ID)
	}
	slices.SortFunc(groups, func(a, b Group) int { return cmp.Compare(a.Name, b.Name) })
	return groups
}
