package facts

import (
	"maps"
	"slices"
	"time"

	"ocaptain/fleet/dispatch"
	"ocaptain/tasks"
)

// Marks are the journal records about the dispatches of a pool, by task, the oldest first.
type Marks map[string][]Record

// Add adds the state of a dispatch at a time. When work on a dispatch begins again, the records of the earlier work are
// dropped.
func (m *Marks) Add(at time.Time, kind string, mark dispatch.Mark) {
	list := slices.DeleteFunc(slices.Clone((*m)[mark.Task]), func(r Record) bool {
		return r.Data.(dispatch.Mark).Epoch != mark.Epoch || r.Kind == kind
	})
	set((*map[string][]Record)(m), mark.Task, append(list, Record{At: at, Kind: kind, Data: mark}))
}

func (m Marks) records() (all []Record) {
	for _, list := range m {
		all = append(all, list...)
	}
	slices.SortFunc(all, func(a, b Record) int { return a.At.Compare(b.At) })
	return all
}

func (m Marks) forget(task func(id string) *tasks.State) {
	maps.DeleteFunc(m, func(id string, _ []Record) bool { return task(id) == nil })
}
