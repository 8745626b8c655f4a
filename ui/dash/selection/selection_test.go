package selection

import (
	"testing"

	"ocaptain/fleet"
	"ocaptain/tasks"
)

func TestWhyNot(t *testing.T) {
	board := func(kind fleet.Kind) *fleet.Board { return &fleet.Board{Voyage: fleet.Voyage{Kind: kind}} }
	plan, session, pool := board(fleet.Plan), board(fleet.Session), board(fleet.Pool)
	pool.Voyage.Name = "kite"
	live := board(fleet.Plan)
	live.Voyage.Sync = fleet.SyncLive
	ship := func(phase fleet.ShipPhase, task string) *fleet.ShipView {
		return &fleet.ShipView{Ship: fleet.Ship{Name: "ship-0", Phase: phase}, Task: task}
	}
	task := func(status tasks.Status, owner string) *tasks.State {
		return &tasks.State{Task: tasks.Task{ID: "7", Status: status, Owner: owner}}
	}
	held := task(tasks.InProgress, "ship-0")
	ready := task(tasks.Pending, "")
	done := task(tasks.Completed, "ship-0")
	for _, c := range []struct {
		name string
		why  func(Selection) string
		of   Selection
		want string
	}{
		{"no voyage", Selection.NoVoyage, Selection{}, NoneYet},
		{"a board that is not there yet", Selection.NoVoyage, Selection{Board: plan}, NoneYet},
		{"an epic for a plan", Selection.NoSession, Selection{Board: plan, Loaded: true}, "only a session has a planner, for what you ask for in words: ocaptain start"},
		{"an epic", Selection.NoSession, Selection{Board: session, Loaded: true}, ""},
		{"trees of their own", Selection.NoSharedTree, Selection{Board: plan, Loaded: true}, "each ship of this voyage has a tree of its own"},
		{"a shared tree", Selection.NoSharedTree, Selection{Board: live, Loaded: true}, ""},
		{"verify a pool", Selection.NoVerify, Selection{Board: pool, Loaded: true}, "a pool has no plan to verify; d shows what a dispatch has changed"},
		{"a pool's tasks as a graph", Selection.NoBlockers, Selection{Board: pool, Loaded: true, Task: ready}, "a dispatch waits for a worker and for no other dispatch"},
		{"a new task for a pool", Selection.NoNextOrNew, Selection{Board: pool, Loaded: true}, "a pool has no list of tasks: p dispatches a command"},
		{"the next match in a pool", Selection.NoNextOrNew, Selection{Board: pool, Loaded: true, Filtered: true}, ""},
		{"the coordinator has no machine", Selection.NotAttachable, Selection{Coordinator: true}, "coordinator-0 is a part of helm and has no machine; m asks it for something"},
		{"the coordinator takes messages", Selection.NoAddressee, Selection{Board: session, Loaded: true, Coordinator: true}, ""},
		{"a ship that is provisioned", Selection.NotAttachable, Selection{Ship: ship(fleet.Provisioning, "")}, "ship-0 is not provisioned yet"},
		{"a ship with a task", Selection.NoTaskHeld, Selection{Ship: ship(fleet.Afloat, "7")}, ""},
		{"a ship without", Selection.NoTaskHeld, Selection{Ship: ship(fleet.Afloat, "")}, "ship-0 holds no task"},
		{"a ship of a plan is no worker", Selection.NotDrainable, Selection{Board: plan, Ship: ship(fleet.Afloat, "")}, "only a pool has workers"},
		{"diff of a task", Selection.NothingToDiff, Selection{OnTasks: true, Ship: ship(fleet.Afloat, "")}, "no task is selected"},
		{"diff of a ship", Selection.NothingToDiff, Selection{Ship: ship(fleet.Afloat, "")}, ""},
		{"requeue a ready task", Selection.NothingToRequeue, Selection{Task: ready}, "no ship holds task 7"},
		{"requeue a task on hold", Selection.NothingToRequeue, Selection{Task: &tasks.State{OnHold: true}}, ""},
		{"edit a completed task", Selection.NoOpenTask, Selection{Task: done}, "task 7 is completed"},
		{"take the work of a task that is held", Selection.NothingDone, Selection{Task: held}, "task 7 is not completed"},
		{"revert in a pool", Selection.NothingToRevert, Selection{Board: pool, Task: done}, "work of a pool is on branches of its own: delete the branch"},
		{"revert in a plan", Selection.NothingToRevert, Selection{Board: plan, Task: done}, ""},
		{"approve a task", Selection.NothingAsked, Selection{Task: held}, "task 7 does not wait for you to approve anything"},
		{"approve a diff", Selection.NothingAsked, Selection{Task: held, OnDiff: true}, "nothing that is shown waits for you to approve it"},
		{"approve a question", Selection.NothingAsked, Selection{Question: &fleet.Question{}}, ""},
		{"settle", Selection.NoClash, Selection{Board: live}, "nothing that is shown is to be settled"},
	} {
		if got := c.why(c.of); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
