package ledger

import (
	"cmp"
	"slices"

	"ocaptain/tasks"
)

// queue holds entries in order. A field that the order depends on may change only while the entry
// is out of the queue.
//
// A sorted slice beats a heap here: choices reads the first ten entries directly, and moving 10,000 pointers takes
// only microseconds.
type queue struct {
	sorted []*Entry
	order  func(a, b *Entry) int
}

func (q *queue) insert(e *Entry) {
	i, _ := slices.BinarySearchFunc(q.sorted, e, q.order)
	q.sorted = slices.Insert(q.sorted, i, e)
	e.queue = q
}

func (q *queue) remove(e *Entry) {
	if i, ok := slices.BinarySearchFunc(q.sorted, e, q.order); ok {
		q.sorted = slices.Delete(q.sorted, i, i+1)
	}
	e.queue = nil
}

// first returns the first entry that may be taken, or nil.
func (q *queue) first(may func(e *Entry) bool) *Entry {
	if q == nil {
		return nil
	}
	if i := slices.IndexFunc(q.sorted, may); i >= 0 {
		return q.sorted[i]
	}
	return nil
}

// compareReady orders ready tasks, the best first.
func compareReady(a, b *Entry) int {
	return cmp.Or(
		cmp.Compare(a.State.Priority(), b.State.Priority()),
		cmp.Compare(b.height, a.height),
		tasks.CompareIDs(a.State.ID, b.State.ID),
	)
}

// soonest orders tasks by NotBefore.
func soonest(a, b *Entry) int {
	return cmp.Or(a.State.NotBefore.Compare(b.State.NotBefore), tasks.CompareIDs(a.State.ID, b.State.ID))
}
