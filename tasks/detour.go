package tasks

// Detour finds a chain of tasks that leaves a set and comes back into it. It returns the last member before the chain
// leaves, the first task outside, and the member where the chain comes back. over is "" when there is no such chain.
func (g *Graph) Detour(members []string) (from, over, to string) {
	inside := make(map[int32]bool, len(members))
	last := int32(0)
	for _, id := range members {
		i := g.order.Place[id]
		inside[i] = true
		last = max(last, g.order.Level[i])
	}
	type way struct{ from, over int32 }
	ways := map[int32]way{} // the way by which each task outside was reached
	var queue []int32
	for _, id := range members {
		i := g.order.Place[id]
		for _, j := range g.order.After[i] {
			if _, seen := ways[j]; !seen && !inside[j] {
				ways[j] = way{i, j}
				queue = append(queue, j)
			}
		}
	}
	for next := 0; next < len(queue); next++ {
		i := queue[next]
		for _, j := range g.order.After[i] {
			if inside[j] {
				return g.tasks[ways[i].from].ID, g.tasks[ways[i].over].ID, g.tasks[j].ID
			}
			if _, seen := ways[j]; !seen && g.order.Level[j] < last {
				ways[j] = ways[i]
				queue = append(queue, j)
			}
		}
	}
	return "", "", ""
}
