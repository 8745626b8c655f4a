package taskpane

import (
	"time"

	"ocaptain/tasks"
	"ocaptain/theme"
)

// standing is where a task stands, in the order of the list.
type standing uint8

const (
	onHold standing = iota
	working
	ready
	blocked // or waiting for a time
	done
	standings = 5
)

// tally is how many tasks are in each standing.
type tally [standings]int

func (t tally) total() (n int) {
	for _, one := range t {
		n += one
	}
	return n
}

// stand judges every task of the board.
func stand(all []tasks.State, o *tasks.Order, now time.Time, into []standing) ([]standing, tally) {
	if cap(into) < len(all) {
		into = make([]standing, len(all))
	}
	into = into[:len(all)]
	var n tally
	for i := range all {
		t := &all[i]
		switch {
		case t.Status == tasks.Completed:
			into[i] = done
		case t.Status == tasks.InProgress:
			into[i] = working
		case t.OnHold:
			into[i] = onHold
		case t.RemainingDelay(now) > 0, len(o.Missing(int32(i))) > 0, holds(all, o.Before[i]):
			into[i] = blocked
		default:
			into[i] = ready
		}
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

// look is how a standing looks.
func (s standing) look() theme.State {
	switch s {
	case onHold:
		return theme.TaskOnHold
	case working:
		return theme.TaskState(tasks.InProgress, false)
	case done:
		return theme.TaskState(tasks.Completed, false)
	}
	return theme.TaskState(tasks.Pending, s == blocked)
}
