package taskpane

import (
	"fmt"
	"strings"

	"ocaptain/tasks"
)

// tree holds the shown tasks. Each is below its nearest shown ancestor: its deepest blocker, that task's deepest blocker, and
// so on. A part that waits for nothing is below the task that it is a part of.
type tree struct {
	parent []int32 // shown parent, -1 for none
	depth  []int32
	last   []bool // last child of its parent
}

// grow arranges the shown tasks depth first and appends them to rows. whole returns the index of the task that a task is a
// part of, -1 for none.
func (t *tree) grow(o *tasks.Order, whole func(int32) int32, show func(int32) bool, rows []int32) []int32 {
	n := len(o.Before)
	t.parent, t.depth, t.last = make([]int32, n), make([]int32, n), make([]bool, n)
	nearest := make([]int32, n) // the shown task at or above each task
	child, sibling := make([]int32, n), make([]int32, n)
	for i := range n {
		t.parent[i], nearest[i], child[i], sibling[i] = -1, -1, -1, -1
	}
	placed := make([]bool, n)
	var place func(i int32)
	place = func(i int32) {
		if placed[i] {
			return
		}
		placed[i] = true // a task that is a part of itself, even indirectly, is at the top
		up := deepest(o, i)
		if up < 0 {
			up = whole(i)
		}
		if up >= 0 {
			place(up)
			t.parent[i] = nearest[up]
		}
		if nearest[i] = t.parent[i]; show(i) {
			nearest[i] = i
		}
	}
	for _, i := range o.Sorted {
		place(i)
	}
	first := int32(-1) // of the roots
	for i := int32(n - 1); i >= 0; i-- {
		if !show(i) {
			continue
		}
		head := &first
		if up := t.parent[i]; up >= 0 {
			head = &child[up]
		}
		sibling[i], *head = *head, i
	}
	for i := first; i >= 0; {
		rows = append(rows, i)
		t.last[i] = sibling[i] < 0
		if c := child[i]; c >= 0 {
			t.depth[c] = t.depth[i] + 1
			i = c
			continue
		}
		for i >= 0 && sibling[i] < 0 {
			i = t.parent[i]
		}
		if i >= 0 {
			t.depth[sibling[i]] = t.depth[i]
			i = sibling[i]
		}
	}
	return rows
}

// deepest returns the blocker with the highest level, -1 for none.
func deepest(o *tasks.Order, i int32) int32 {
	best := int32(-1)
	for _, j := range o.Before[i] {
		if best < 0 || o.Level[j] > o.Level[best] {
			best = j
		}
	}
	return best
}

// branch draws the lines before a task in at most width cells. A deeper task instead shows the
// number of levels that do not fit.
func (t *tree) branch(i int32, width int) string {
	depth := int(t.depth[i])
	if depth == 0 {
		return ""
	}
	levels := min(depth, max(1, width/3))
	more := ""
	if levels < depth {
		more = fmt.Sprintf("⋯%d ", depth-levels)
	}
	parts := make([]string, levels)
	parts[levels-1] = "├─ "
	if t.last[i] {
		parts[levels-1] = "└─ "
	}
	up := t.parent[i]
	for at := levels - 2; at >= 0; at-- {
		parts[at] = "│  "
		if t.last[up] {
			parts[at] = "   "
		}
		up = t.parent[up]
	}
	return more + strings.Join(parts, "")
}
