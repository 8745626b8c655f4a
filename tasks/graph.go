package tasks

import (
	"cmp"
	"slices"
)

// Graph holds the order in which a set of tasks must be done. It never changes after NewGraph, so goroutines may
// share it.
type Graph struct {
	tasks  []Task // in the order of CompareIDs, without duplicate ids
	order  *Order
	levels [][]string
}

// Group is a set of tasks that one ship claims together.
type Group struct {
	Name  string
	Tasks []string
}

// NewGraph builds the graph of all tasks. A dependency may be named on either side: in BlockedBy of the waiting task
// or in Blocks of its blocker. If several tasks have the same id, the first counts. References to unknown tasks are
// dropped. Cycles are allowed; see Cycles.
func NewGraph(all []Task) *Graph {
	g := &Graph{}
	seen := make(map[string]bool, len(all))
	for _, t := range all {
		if !seen[t.ID] {
			seen[t.ID] = true
			g.tasks = append(g.tasks, t)
		}
	}
	slices.SortStableFunc(g.tasks, func(a, b Task) int { return CompareIDs(a.ID, b.ID) })
	g.order = NewOrder(len(g.tasks), g.task)
	deepest := int32(0)
	for _, l := range g.order.Level {
		deepest = max(deepest, l)
	}
	g.levels = make([][]string, deepest)
	for i, l := range g.order.Level {
		if l > 0 {
			g.levels[l-1] = append(g.levels[l-1], g.tasks[i].ID)
		}
	}
	return g
}

func (g *Graph) task(i int) *Task { return &g.tasks[i] }

// Tasks returns the tasks in the order of CompareIDs. The caller must not change them.
func (g *Graph) Tasks() []Task { return g.tasks }

// Task returns the task with that id, or the zero task. The caller must not change it.
func (g *Graph) Task(id string) Task {
	if i, ok := g.order.Place[id]; ok {
		return g.tasks[i]
	}
	return Task{}
}

// Level returns 1 for a task that waits for nothing, else one more than the highest level of its
// blockers. It returns 0 for an unknown task and for a task that can never be ready.
func (g *Graph) Level(id string) int {
	if i, ok := g.order.Place[id]; ok {
		return int(g.order.Level[i])
	}
	return 0
}

// Levels returns the ids of each level, the first level first.
func (g *Graph) Levels() [][]string { return g.levels }

// NeverReady returns the tasks that are on a cycle or wait for a task on a cycle.
func (g *Graph) NeverReady() []string {
	var ids []string
	for i, l := range g.order.Level {
		if l == 0 {
			ids = append(ids, g.tasks[i].ID)
		}
	}
	return ids
}

// Blockers returns the existing tasks that id waits for.
func (g *Graph) Blockers(id string) []string { return g.linkedIDs(g.order.Before, id) }

// Dependents returns the tasks that wait for id.
func (g *Graph) Dependents(id string) []string { return g.linkedIDs(g.order.After, id) }

func (g *Graph) linkedIDs(edges [][]int32, id string) []string {
	i, ok := g.order.Place[id]
	if !ok {
		return nil
	}
	return g.ids(edges[i])
}

func (g *Graph) ids(places []int32) []string {
	ids := make([]string, len(places))
	for n, i := range places {
		ids[n] = g.tasks[i].ID
	}
	return ids
}

// Width returns the number of tasks on the fullest level.
func (g *Graph) Width() int {
	width := 0
	for _, l := range g.levels {
		width = max(width, len(l))
	}
	return width
}

// UsefulShips returns how many ships the fullest level keeps busy, at least 1. The tasks of a group
// go to one ship and count once.
func (g *Graph) UsefulShips() int {
	ships := 1
	for _, l := range g.levels {
		busy := 0
		groups := map[string]bool{}
		for _, id := range l {
			name := g.tasks[g.order.Place[id]].Group()
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
