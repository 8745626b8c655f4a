package dispatch

import (
	"testing"

	"ocaptain/fleet"
	"ocaptain/fleet/agent/agentlog"
	"ocaptain/tasks"
	"ocaptain/tasks/journal"
)

// TestDispatchUsage has one worker that does two dispatches, and another that does a third, which the first had begun. Usage that is reported
// only after the next dispatch has begun counts for the dispatch before. A record that is in the journal twice counts once.
func TestDispatchUsage(t *testing.T) {
	d := fleet.Dir(t.TempDir())
	used := func(n int64) fleet.Usage { return fleet.Usage{Tokens: agentlog.Tokens{Input: n}, CostUSD: float64(n)} }
	marks := []struct {
		kind string
		Mark
	}{
		{KindBegan, Mark{Task: "1", Ship: "kite-1", Usage: used(0)}},
		{KindDone, Mark{Task: "1", Ship: "kite-1", Usage: used(10)}},
		{KindBegan, Mark{Task: "2", Ship: "kite-1", Usage: used(15)}},
		{KindDone, Mark{Task: "2", Ship: "kite-1", Usage: used(20)}},
		{KindBegan, Mark{Task: "3", Epoch: 1, Ship: "kite-1", Usage: used(30)}},
		{KindBegan, Mark{Task: "3", Epoch: 2, Ship: "kite-2", Usage: used(0)}},
		{KindDone, Mark{Task: "3", Epoch: 2, Ship: "kite-2", Usage: used(5)}},
	}
	book, err := journal.Open(d.Events())
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range append(marks, marks...) { // twice, as after the journal was damaged
		if _, err := book.AddRecord(m.kind, m.Mark); err != nil {
			t.Fatal(err)
		}
	}
	if err := book.Close(); err != nil {
		t.Fatal(err)
	}
	b := &fleet.Board{Ships: []fleet.ShipView{{Ship: fleet.Ship{Name: "kite-1"}, Usage: used(37)}}} // kite-2 is gone
	for _, id := range []string{"1", "2", "3"} {
		b.Tasks = append(b.Tasks, tasks.State{Task: tasks.Task{ID: id, Status: tasks.Completed}})
	}
	all, err := List(d, b)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []int64{15, 15, 12} {
		if is := all[i].Usage; is.Tokens != want || is.CostUSD != float64(want) {
			t.Errorf("dispatch %d used %+v, not %d", i+1, is, want)
		}
	}
}

// TestDispatchSunk checks that no dispatch waits in a pool that was sunk.
func TestDispatchSunk(t *testing.T) {
	b := &fleet.Board{Phase: fleet.Sunk, Tasks: []tasks.State{{Task: tasks.Task{ID: "1"}}, {Task: tasks.Task{ID: "2", Status: tasks.Completed}}}}
	all, err := List(fleet.Dir(t.TempDir()), b)
	if err != nil || all[0].State != Failed || all[0].Why == "" || all[1].State != Done {
		t.Errorf("%v: %+v", err, all)
	}
}
