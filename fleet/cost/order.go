package cost

import (
	"cmp"
	"slices"

	"ocaptain/tasks"
)

// sortRows sorts hours by time, tasks by id, and all other rows by cost, the highest first. The row without a name comes last.
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
