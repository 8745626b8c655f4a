package planfile

import (
	"fmt"
	"slices"
	"strings"

	"ocaptain/tasks"
)

// checkIDs checks the ids of tasks and the names of their files.
func (r *reader) checkIDs(all found) {
	first := map[string]foundTask{}
	folded := map[string]foundTask{}
	for _, t := range all.tasks {
		bad := func(s Severity, problem, fix string) { t.object.defect(s, "id", problem, fix) }
		const form = "use 1 to 64 letters, digits, - and _"
		switch {
		case t.ID == tasks.Sentinel:
			bad(Error, fmt.Sprintf("%q is a reserved id", t.ID), "choose another one")
			continue
		case !tasks.ValidID(t.ID):
			bad(Error, fmt.Sprintf("%q cannot be an id", tasks.Shorten(t.ID)), form)
			continue
		}
		if other, twice := first[t.ID]; twice {
			bad(Error, fmt.Sprintf("%q is also the id in %s", t.ID, other.file), "give each task an id of its own")
			continue
		}
		first[t.ID] = t
		fold := strings.ToLower(t.ID)
		if other, near := folded[fold]; near {
			bad(Error, fmt.Sprintf("%q differs from %q in %s in case only, which not every file system keeps apart", t.ID, other.ID, other.file), "give them ids that differ in more")
		} else {
			folded[fold] = t
		}
		if t.ID != fileStem(t.file) {
			bad(Warning, fmt.Sprintf("%q is not what the file is called", t.ID), fmt.Sprintf("name the file %s/%s.json; the id counts", tasksDir, t.ID))
		}
	}
}

// checkReferences reports tasks that wait for themselves or for unknown tasks.
func (r *reader) checkReferences(all found) {
	known := map[string]bool{}
	for _, t := range all.tasks {
		known[t.ID] = true
	}
	for _, id := range all.broken {
		known[id] = true // the file has a defect of its own
	}
	for _, t := range all.tasks {
		for _, list := range []struct {
			field string
			ids   []string
		}{{"blocks", t.Blocks}, {"blockedBy", t.BlockedBy}} {
			for _, id := range tasks.UniqueIDs(slices.Clone(list.ids)) {
				switch {
				case id == t.ID:
					t.object.defect(Error, list.field, fmt.Sprintf("task %s waits for itself", id), fmt.Sprintf("remove %q", id))
				case !known[id]:
					t.object.defect(Error, list.field, fmt.Sprintf("there is no task %q", tasks.Shorten(id)), fmt.Sprintf("remove it, or add %s/%s.json", tasksDir, tasks.Shorten(id)))
				}
			}
		}
	}
}

// checkCycles reports cycles at the task whose reference closes them.
func (r *reader) checkCycles(all found) {
	cycles := r.plan.Graph.Cycles()
	if len(cycles) == 0 {
		return
	}
	byID := map[string]foundTask{}
	for _, t := range slices.Backward(all.tasks) {
		byID[t.ID] = t
	}
	for _, path := range cycles {
		if len(path) == 2 {
			continue // checkReferences reports this
		}
		last, first := path[len(path)-2], path[len(path)-1]
		t, field, named := byID[first], "blockedBy", last
		if !slices.Contains(t.BlockedBy, last) {
			t, field, named = byID[last], "blocks", first
		}
		t.object.defect(Error, field,
			"tasks wait for each other: "+tasks.PathText(path),
			fmt.Sprintf("break the cycle, for example by removing %q here", named))
	}
	if len(cycles) == tasks.MostCycles {
		r.report(Defect{Severity: Error, File: tasksDir, Problem: fmt.Sprintf("has more than %d cycles", tasks.MostCycles), Fix: "break these first, then check again"})
	}
}

// checkCounts compares the numbers in voyage.json with the tasks.
func (r *reader) checkCounts(told numbers, all found) {
	tell := func(key, problem, fix string) { told.object.defect(Warning, key, problem, fix) }
	if n := len(all.tasks) + len(all.broken); told.total != nil && *told.total != n {
		tell("total_tasks", fmt.Sprintf("is %d, but %s holds %d", *told.total, tasksDir, n), fmt.Sprintf("write %d, or add what is missing", n))
	}
	if len(all.broken) > 0 || r.defects.Errors() > 0 || len(all.tasks) == 0 {
		return // the graph is incomplete, so nothing follows from it
	}
	width := r.plan.Graph.Width()
	if told.width != nil && *told.width != width {
		tell("max_parallel_width", fmt.Sprintf("is %d, but the fullest level has %d", *told.width, width), fmt.Sprintf("write %d", width))
	}
	if told.ships != nil && *told.ships > r.plan.Graph.UsefulShips() {
		tell("recommended_ships", fmt.Sprintf("is %d, but at most %d can have work at once", *told.ships, r.plan.Graph.UsefulShips()), fmt.Sprintf("write %d", r.plan.Graph.UsefulShips()))
	}
}
