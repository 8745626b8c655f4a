package tasks

import "time"

// LongestEstimate bounds the weight of one task, so that sums never overflow.
const LongestEstimate = 24 * time.Hour

// Estimate returns how long the task is expected to take (metadata.estimate, in minutes, at most a
// day); 0 when unset.
func (t Task) Estimate() time.Duration {
	minutes, ok := t.Metadata["estimate"].(float64)
	if !ok || minutes <= 0 {
		return 0
	}
	return time.Duration(min(minutes, LongestEstimate.Minutes()) * float64(time.Minute))
}

// Critical returns the longest chain of tasks that wait for each other, first task first, and how
// long the chain is expected to take: 0 when no task has an estimate.
func (g *Graph) Critical() ([]string, time.Duration) {
	chain, length := g.order.Critical(g.task)
	if len(chain) == 0 {
		return nil, 0
	}
	return g.ids(chain), length
}
