package need

import (
	"cmp"
	"slices"
	"strings"

	"ocaptain/fleet"
	"ocaptain/tasks"
)

// held finds the tasks that helm has put on hold; tasks that the captain has put on hold are no needs. Tasks that failed for the same
// reason are one need, which names the first task.
func (s *sight) held() (all []Need) {
	behind := map[string][]string{}
	var held []*tasks.State
	for i := range s.Tasks {
		t := &s.Tasks[i]
		if root := s.root[t.ID]; root != "" && root != t.ID {
			behind[root] = append(behind[root], t.ID)
		}
		if t.OnHold && t.Proposed == 0 && t.HeldBy != fleet.Captain {
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
			n.Why += "; " + fleet.Counted(w, "task waits", "tasks wait") + " for " + map[bool]string{true: "them", false: "it"}[len(n.Tasks) > 1]
		}
	}
	return all
}

// causeOf returns why a task is on hold, without the name of its last ship.
func causeOf(t *tasks.State) string { return strings.TrimPrefix(t.Reason, t.From+": ") }

// Roots returns, for each task that waits only for tasks on hold, one of these. A task on hold is its own root.
func Roots(b *fleet.Board) map[string]string {
	r := rootSearch{root: map[string]string{}}
	for i := range b.Tasks {
		if t := &b.Tasks[i]; t.OnHold {
			r.root[t.ID] = t.ID
		}
	}
	if len(r.root) == 0 {
		return r.root
	}
	r.left = make(map[string]*tasks.State, len(b.Tasks))
	for i := range b.Tasks {
		r.left[b.Tasks[i].ID] = &b.Tasks[i]
	}
	for i := range b.Tasks {
		r.find(b.Tasks[i].ID)
	}
	return r.root
}

// rootSearch holds the roots found so far, and the tasks that were visited or are completed.
type rootSearch struct {
	root map[string]string
	left map[string]*tasks.State
}

// find returns the task on hold for which a task waits in the end, "" if it also waits for something that goes on. It visits each
// task once: a task that it meets again is on a cycle, and has no root.
func (r *rootSearch) find(id string) (first string) {
	t := r.left[id]
	if t == nil || t.OnHold || t.Status != tasks.Pending {
		return r.root[id]
	}
	delete(r.left, id)
	for _, id := range t.BlockedBy {
		if b := r.left[id]; b != nil && b.Status == tasks.Completed {
			continue
		}
		is := r.find(id)
		if is == "" {
			return ""
		}
		first = cmp.Or(first, is)
	}
	if first != "" {
		r.root[id] = first
	}
	return first
}
