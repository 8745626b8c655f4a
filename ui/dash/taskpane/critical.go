package taskpane

import (
	"slices"
	"time"

	"ocaptain/tasks"
)

// findCritical marks the longest chain of tasks that wait for each other, by the same
// measure as tasks.Graph: estimates, and where one is missing the average of the others.
// It is done here because a graph of tasks takes ten times as long to build.
func (g *graph) findCritical(all []tasks.State, s *shape) {
	g.next, g.critical = make([]int32, len(all)), make([]bool, len(all))
	weights, usual := make([]time.Duration, len(all)), time.Minute
	var sum time.Duration
	known := 0
	for i := range all {
		if weights[i] = all[i].Estimate(); weights[i] > 0 {
			sum += weights[i]
			known++
		}
	}
	if known > 0 {
		usual = sum / time.Duration(known)
	}
	length := make([]time.Duration, len(all))
	best := int32(-1)
	for i := range g.next {
		g.next[i] = -1
	}
	for _, i := range slices.Backward(s.order) {
		for _, j := range s.after[i] {
			if s.level[j] > 0 && longer(length, j, g.next[i]) {
				g.next[i] = j
			}
		}
		if length[i] = weights[i]; length[i] == 0 {
			length[i] = usual
		}
		if j := g.next[i]; j >= 0 {
			length[i] += length[j]
		}
		if longer(length, i, best) {
			best = i
		}
	}
	chain := make([]int32, len(all))
	for i := range chain {
		chain[i] = -1
	}
	// Where nothing waits for anything, no chain stands out.
	for i := best; i >= 0 && g.next[best] >= 0; i = g.next[i] {
		g.critical[i], chain[i] = true, g.next[i]
	}
	g.next = chain
}

// longer reports whether the chain from i is longer than that from j, or as long and i first.
func longer(length []time.Duration, i, j int32) bool {
	return j < 0 || length[i] > length[j] || length[i] == length[j] && i < j
}
