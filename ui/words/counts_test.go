package words

import (
	"testing"

	"ocaptain/fleet"
)

func TestTasks(t *testing.T) {
	n := fleet.Tally{fleet.TaskReady: 1, fleet.TaskBlocked: 1, fleet.TaskDelayed: 1, fleet.TaskWorking: 2, fleet.TaskDone: 3}
	if got := Tasks(n); got != "3P 2W 3D" {
		t.Errorf("%q", got)
	}
	n[fleet.TaskInReview], n[fleet.TaskOnHold] = 4, 5
	if got := Tasks(n); got != "3P 2W 4R 3D 5H" {
		t.Errorf("%q", got)
	}
	if got := Dispatches(n); got != "3Q 2R 3D 5F" {
		t.Errorf("%q", got)
	}
}
