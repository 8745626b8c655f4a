package tasks

// MostCycles bounds how many cycles are reported; people read no more.
const MostCycles = 100

// Cycles returns cycles of tasks that wait for each other, each as a path from a task back to itself where every task
// is a blocker of the next. If Cycles returns fewer than MostCycles paths, removing the last step of each leaves the
// graph without a cycle.
func (g *Graph) Cycles() [][]string {
	if len(g.order.Sorted) == len(g.tasks) {
		return nil
	}
	const unseen, done = -1, -2
	place := make([]int, len(g.tasks)) // the task's index on the current path, or one of the constants above
	for i := range place {
		place[i] = unseen
		if g.order.Level[i] > 0 {
			place[i] = done
		}
	}
	type step struct {
		task int32
		next int
	}
	var cycles [][]string
	var path []step
	for start := range g.tasks {
		if place[start] != unseen {
			continue
		}
		place[start] = 0
		path = append(path[:0], step{int32(start), 0})
		for len(path) > 0 {
			top := &path[len(path)-1]
			if top.next == len(g.order.After[top.task]) {
				place[top.task] = done
				path = path[:len(path)-1]
				continue
			}
			i := g.order.After[top.task][top.next]
			top.next++
			switch {
			case place[i] == unseen:
				place[i] = len(path)
				path = append(path, step{i, 0})
			case place[i] >= 0:
				var cycle []string
				for _, s := range path[place[i]:] {
					cycle = append(cycle, g.tasks[s.task].ID)
				}
				if cycles = append(cycles, append(cycle, g.tasks[i].ID)); len(cycles) == MostCycles {
					return cycles
				}
			}
		}
	}
	return cycles
}
