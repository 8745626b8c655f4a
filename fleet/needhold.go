package fleet

import (
	"slices"
	"strings"

	"ocaptain/tasks"
)

// held finds the tasks on hold. Those that were given up for one cause are one need, the first first.
func (s *sight) held() (all []Need) {
	behind := map[string][]string{}
	var held []*tasks.State
	for i := range s.Tasks {
		t := &s.Tasks[i]
		if root := s.root[t.ID]; root != "" && root != t.ID {
			behind[root] = append(behind[root], t.ID)
		}
		if t.OnHold && t.Proposed == 0 {
			held = append(held, t)
		}
	}
	slices.SortStableFunc(held, func(a, b *tasks.State) int { return a.RequeuedAt.Compare(b.RequeuedAt) })
	at := map[string]int{}
	for _, t := range held {
		why := causeOf(t)
		i, known := at[why]
		if !known {
			at[why], all = len(all), append(all, Need{Task: t.ID, Why: t.Reason, Since: t.RequeuedAt, Waiting: behind[t.ID], cause: why})
			continue
		}
		n := &all[i]
		if len(n.Tasks) == 0 {
			n.Tasks = []string{n.Task}
		}
		n.Why, n.Tasks, n.Waiting = why, append(n.Tasks, t.ID), append(n.Waiting, behind[t.ID]...)
	}
	for i := range all {
		n := &all[i]
		if w := len(n.Waiting); w > 0 {
			n.Why += "; " + number(w, "task waits", "tasks wait") + " for " + map[bool]string{true: "them", false: "it"}[len(n.Tasks) > 1]
		}
	}
	return all
}

// causeOf is why a task is on hold, without the ship that had it last.
func causeOf(t *tasks.State) string { return strings.TrimPrefix(t.Reason, t.From+": ") }

// Roots finds the tasks that wait for nothing but tasks on hold, and for which. One on hold is its own root.
func (b *Board) Roots() map[string]string {
	root, done := map[string]string{}, map[string]bool{}
	for i := range b.Tasks {
		t := &b.Tasks[i]
		done[t.ID] = t.Status == tasks.Completed
		if t.OnHold {
			root[t.ID] = t.ID
		}
	}
	for more := len(root) > 0; more; {
		more = false
		for i := range b.Tasks {
			t := &b.Tasks[i]
			if t.Status == tasks.Pending && root[t.ID] == "" {
				if r := rootOf(t, root, done); r != "" {
					root[t.ID], more = r, true
				}
			}
		}
	}
	return root
}

// rootOf is the task on hold that a task waits for at last, "" when it waits for something that goes on, too.
func rootOf(t *tasks.State, root map[string]string, done map[string]bool) (first string) {
	for _, id := range t.BlockedBy {
		switch {
		case done[id]:
		case root[id] == "":
			return ""
		case first == "":
			first = root[id]
		}
	}
	return first
}
