package tasks

import (
	"slices"
	"time"
)

// Order is the order in which a list of tasks must be done. It names tasks by their indexes in the list. It never
// changes after NewOrder.
type Order struct {
	Place  map[string]int32 // the index of the first task with each id
	Before [][]int32        // the blockers of each task, without duplicates
	After  [][]int32        // the tasks that wait for each task
	Level  []int32          // 1 for a task that waits for nothing, 0 on or behind a cycle
	Sorted []int32          // every task with a level, after its blockers

	missing [][]string // unknown blockers of each task; nil when no task has any
}

// NewOrder returns the order of n tasks.
func NewOrder(n int, task func(int) *Task) *Order {
	o := &Order{Place: make(map[string]int32, n)}
	for i := n - 1; i >= 0; i-- {
		o.Place[task(i).ID] = int32(i)
	}
	o.connect(n, task)
	o.layer()
	return o
}

// edge leads from one task to another.
type edge struct{ from, to int32 }

// connect turns the references of the tasks into edges, without duplicates.
func (o *Order) connect(n int, task func(int) *Task) {
	count := 0
	for i := range n {
		count += len(task(i).BlockedBy) + len(task(i).Blocks)
	}
	edges := make([]edge, 0, count)
	for i := range n {
		for _, id := range task(i).BlockedBy {
			if j, ok := o.Place[id]; ok {
				edges = append(edges, edge{int32(i), j})
				continue
			}
			if o.missing == nil {
				o.missing = make([][]string, n)
			}
			o.missing[i] = append(o.missing[i], id)
		}
		for _, id := range task(i).Blocks {
			if j, ok := o.Place[id]; ok {
				edges = append(edges, edge{j, int32(i)})
			}
		}
	}
	o.Before = group(n, edges)
	edges = edges[:0]
	for i, list := range o.Before {
		slices.Sort(list)
		o.Before[i] = slices.Compact(list)
		for _, j := range o.Before[i] {
			edges = append(edges, edge{j, int32(i)})
		}
	}
	o.After = group(n, edges)
}

// group returns where the edges from each of n tasks lead, in the order of the edges.
func group(n int, edges []edge) [][]int32 {
	counts := make([]int32, n)
	for _, e := range edges {
		counts[e.from]++
	}
	lists, room := make([][]int32, n), make([]int32, len(edges))
	for i, count := range counts {
		lists[i], room = room[:0:count], room[count:]
	}
	for _, e := range edges {
		lists[e.from] = append(lists[e.from], e.to)
	}
	return lists
}

// layer gives every task its level: it removes tasks without blockers, level by level, until none is left. The
// remaining tasks are on a cycle or wait for one.
func (o *Order) layer() {
	o.Level = make([]int32, len(o.Before))
	o.Sorted = make([]int32, 0, len(o.Before))
	open := make([]int, len(o.Before))
	for i, list := range o.Before {
		if open[i] = len(list); open[i] == 0 {
			o.Level[i] = 1
			o.Sorted = append(o.Sorted, int32(i))
		}
	}
	reached := make([]int32, len(o.Before)) // the level that the blockers seen so far require
	for next := 0; next < len(o.Sorted); next++ {
		i := o.Sorted[next]
		for _, j := range o.After[i] {
			reached[j] = max(reached[j], o.Level[i]+1)
			if open[j]--; open[j] == 0 {
				o.Level[j] = reached[j]
				o.Sorted = append(o.Sorted, j)
			}
		}
	}
}

// Missing returns the unknown blockers of a task.
func (o *Order) Missing(i int32) []string {
	if o.missing == nil {
		return nil
	}
	return o.missing[i]
}

// Critical returns the longest chain of tasks that wait for each other, first task first, and how long the chain is
// expected to take: 0 when no task has an estimate.
func (o *Order) Critical(task func(int) *Task) (chain []int32, length time.Duration) {
	weights, estimated := o.weights(task)
	tallest := func(places []int32) int32 {
		best := int32(-1)
		for _, i := range places {
			if o.Level[i] > 0 && (best < 0 || weights[i] > weights[best] || weights[i] == weights[best] && i < best) {
				best = i
			}
		}
		return best
	}
	for _, i := range slices.Backward(o.Sorted) {
		if j := tallest(o.After[i]); j >= 0 {
			weights[i] += weights[j] // now the weight of the chain from i to its end
		}
	}
	for i := tallest(o.Sorted); i >= 0; i = tallest(o.After[i]) {
		chain = append(chain, i)
	}
	if estimated && len(chain) > 0 {
		length = weights[chain[0]]
	}
	return chain, length
}

// weights returns the estimates. A task without an estimate weighs the average of the others.
// Without any estimate all tasks weigh the same.
func (o *Order) weights(task func(int) *Task) (weights []time.Duration, estimated bool) {
	weights = make([]time.Duration, len(o.Before))
	var sum time.Duration
	known := 0
	for i := range weights {
		if weights[i] = task(i).Estimate(); weights[i] > 0 {
			sum += weights[i]
			known++
		}
	}
	usual := time.Minute
	if known > 0 {
		usual = sum / time.Duration(known)
	}
	for i, w := range weights {
		if w == 0 {
			weights[i] = usual
		}
	}
	return weights, known > 0
}
