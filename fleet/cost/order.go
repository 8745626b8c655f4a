package cost

import (
	"cmp"
	"slices"

	"ocaptain/tasks"
)

// sortRows puts hours in their order, tasks by their ids, and all else by cost, the dearest first. What is of none comes last.
func sortRows(rows []Row, by By) {
	slices.SortFunc(rows, func(a, b Row) int {
		if (a.Name == "") != (b.Name == "") {
			return cmp.Compare(b.Name, a.Name)
		}
		switch by {
		case Hour:
			return cmp.Compare(a.Name, b.Name)
		case Task:
			return tasks.CompareIDs(a.Name, b.Name)
		}
		return cmp.Or(cmp.Compare(b.Totals.Cost, a.Totals.Cost), cmp.Compare(a.Name, b.Name))
	})
}
