package taskpane

import (
	"fmt"
	"strings"

	"ocaptain/tasks"
)

// tree is the tasks that are shown, each below the nearest shown task among what it waits
// for: its deepest blocker, that one's deepest blocker, and so on. A part of another task that waits for nothing is below that.
type tree struct {
	parent []int32 // that is shown, -1 for none
	depth  []int32
	last   []bool // of the children of its parent
}

// grow arranges the shown tasks depth first and appends them to rows. whole is the place of what a task is a part of, -1 for
// nothing.
func (t *tree) grow(o *tasks.Order, whole func(int32) int32, show func(int32) bool, rows []int32) []int32 {
	n := len(o.Before)
	t.parent, t.depth, t.last = make([]int32, n), make([]int32, n), make([]bool, n)
	nearest := make([]int32, n) // shown task at or above each one
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
		placed[i] = true // a task that is a part of itself, however far around, is below nothing
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
	first := int32(-1) // root
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

// deepest is the blocker of a task with the highest level, -1 for none.
func deepest(o *tasks.Order, i int32) int32 {
	best := int32(-1)
	for _, j := range o.Before[i] {
		if best < 0 || o.Level[j] > o.Level[best] {
			best = j
		}
	}
	return best
}

// branch draws the lines before a task in at most width cells. What is deeper has the
// number of the levels that there is no room for.
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
