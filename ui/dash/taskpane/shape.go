package taskpane

import (
	"slices"

	"ocaptain/tasks"
)

// shape is the order that blockers force on the tasks of a board, by their places in it.
// It stays as long as ids and blockers do, whatever becomes of the tasks.
type shape struct {
	place   map[string]int32
	before  [][]int32  // the tasks that each one waits for, each once
	after   [][]int32  // the tasks that wait for each one
	missing [][]string // blockers that do not exist; nil when no task has one
	level   []int32    // 1 for a task that waits for nothing, 0 on or behind a cycle
	order   []int32    // every task with a level, after its blockers
	parent  []int32    // the blocker with the highest level, -1 for none
}

// sameShape reports whether two boards differ at most in what became of their tasks.
func sameShape(a, b []tasks.State) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		x, y := &a[i], &b[i]
		if x.ID != y.ID || !slices.Equal(x.BlockedBy, y.BlockedBy) || !slices.Equal(x.Blocks, y.Blocks) {
			return false
		}
	}
	return true
}

func newShape(all []tasks.State) *shape {
	s := &shape{place: make(map[string]int32, len(all))}
	for i := range all {
		if _, twice := s.place[all[i].ID]; !twice {
			s.place[all[i].ID] = int32(i)
		}
	}
	s.connect(all)
	s.layer()
	s.parent = make([]int32, len(all))
	for i := range s.parent {
		s.parent[i] = -1
		if s.level[i] == 0 {
			continue
		}
		for _, j := range s.before[i] {
			if s.parent[i] < 0 || s.level[j] > s.level[s.parent[i]] {
				s.parent[i] = j
			}
		}
	}
	return s
}

// connect turns the references of the tasks into edges, each one once.
func (s *shape) connect(all []tasks.State) {
	s.before = make([][]int32, len(all))
	s.after = make([][]int32, len(all))
	for i := range all {
		for _, id := range all[i].BlockedBy {
			if j, ok := s.place[id]; ok {
				s.before[i] = append(s.before[i], j)
				continue
			}
			if s.missing == nil {
				s.missing = make([][]string, len(all))
			}
			s.missing[i] = append(s.missing[i], id)
		}
		for _, id := range all[i].Blocks {
			if j, ok := s.place[id]; ok {
				s.before[j] = append(s.before[j], int32(i))
			}
		}
	}
	for i, list := range s.before {
		slices.Sort(list)
		s.before[i] = slices.Compact(list)
		for _, j := range s.before[i] {
			s.after[j] = append(s.after[j], int32(i))
		}
	}
}

// layer gives every task its level, taking away tasks that nothing holds back until none
// is left.
func (s *shape) layer() {
	s.level = make([]int32, len(s.before))
	s.order = make([]int32, 0, len(s.before))
	open := make([]int, len(s.before))
	for i, list := range s.before {
		if open[i] = len(list); open[i] == 0 {
			s.level[i] = 1
			s.order = append(s.order, int32(i))
		}
	}
	reached := make([]int32, len(s.before))
	for next := 0; next < len(s.order); next++ {
		i := s.order[next]
		for _, j := range s.after[i] {
			reached[j] = max(reached[j], s.level[i]+1)
			if open[j]--; open[j] == 0 {
				s.level[j] = reached[j]
				s.order = append(s.order, j)
			}
		}
	}
}

// lost returns the blockers of a task that do not exist.
func (s *shape) lost(i int32) []string {
	if s.missing == nil {
		return nil
	}
	return s.missing[i]
}
