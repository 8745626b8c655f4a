package taskpane

import (
	"time"

	"ocaptain/fleet"
	"ocaptain/tasks"
)

// stand judges every task of the board.
func stand(all []tasks.State, o *tasks.Order, now time.Time, into []fleet.Standing) ([]fleet.Standing, fleet.Tally) {
	if cap(into) < len(all) {
		into = make([]fleet.Standing, len(all))
	}
	into = into[:len(all)]
	var n fleet.Tally
	for i := range all {
		into[i] = fleet.Stand(&all[i], len(o.Missing(int32(i))) > 0 || holds(all, o.Before[i]), now)
		n[into[i]]++
	}
	return into, n
}

// holds reports whether one of those blockers is not completed.
func holds(all []tasks.State, blockers []int32) bool {
	for _, j := range blockers {
		if all[j].Status != tasks.Completed {
			return true
		}
	}
	return false
}
