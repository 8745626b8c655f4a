package tasks

import (
	"slices"
	"time"
)

// longestEstimate bounds what one task can weigh, so that sums never overflow.
const longestEstimate = 24 * time.Hour

// Estimate is how long the task is thought to take (metadata.estimate, in
// minutes, at most a day); 0 when unset.
func (t Task) Estimate() time.Duration {
	minutes, ok := t.Metadata["estimate"].(float64)
	if !ok || minutes <= 0 {
		return 0
	}
	return time.Duration(min(minutes, longestEstimate.Minutes()) * float64(time.Minute))
}

// weigh measures the chains.
func (g *Graph) weigh() {
	weights := g.weights()
	g.height = make([]time.Duration, len(g.tasks))
	for _, i := range slices.Backward(g.sorted) {
		for _, j := range g.after[i] {
			g.height[i] = max(g.height[i], g.height[j])
		}
		g.height[i] += weights[i]
	}
}

// weights returns the estimates. A task without one weighs as much as the average
// of the others, and all weigh the same when there is none.
func (g *Graph) weights() []time.Duration {
	weights := make([]time.Duration, len(g.tasks))
	var sum time.Duration
	known := 0
	for i, t := range g.tasks {
		if weights[i] = t.Estimate(); weights[i] > 0 {
			sum += weights[i]
			known++
		}
	}
	usual := time.Minute
	if known > 0 {
		usual = sum / time.Duration(known)
		g.estimated = true
	}
	for i, w := range weights {
		if w == 0 {
			weights[i] = usual
		}
	}
	return weights
}

// Critical returns the longest chain of tasks that wait for each other, the first
// one first, and how long it is thought to take: 0 when no task has an estimate.
func (g *Graph) Critical() ([]string, time.Duration) {
	if len(g.sorted) == 0 {
		return nil, 0
	}
	at := g.tallest(g.sorted)
	length := g.height[at]
	var path []string
	for {
		path = append(path, g.tasks[at].ID)
		if len(g.after[at]) == 0 {
			break
		}
		next := g.tallest(g.after[at])
		if g.level[next] == 0 {
			break // only tasks behind a cycle follow
		}
		at = next
	}
	if !g.estimated {
		length = 0
	}
	return path, length
}

// tallest returns the one of places with the greatest height, the first id among equals.
func (g *Graph) tallest(places []int) int {
	best := places[0]
	for _, i := range places[1:] {
		if g.height[i] > g.height[best] || g.height[i] == g.height[best] && i < best {
			best = i
		}
	}
	return best
}
