package fleet

import (
	"testing"

	"ocaptain/fleet/agent/agentlog"

	"ocaptain/tasks"
	"ocaptain/tasks/journal"
)

// TestDispatchUsage has one worker do two dispatches, and another one the third, which the first had begun. What a worker is known to have used
// only when the next one begins is that of the dispatch before. What the journal tells twice counts once.
func TestDispatchUsage(t *testing.T) {
	d := Dir(t.TempDir())
	used := func(n int64) Usage { return Usage{Tokens: agentlog.Tokens{Input: n}, CostUSD: float64(n)} }
	marks := []struct {
		kind string
		DispatchMark
	}{
		{KindDispatchBegan, DispatchMark{Task: "1", Ship: "kite-1", Usage: used(0)}},
		{KindDispatchDone, DispatchMark{Task: "1", Ship: "kite-1", Usage: used(10)}},
		{KindDispatchBegan, DispatchMark{Task: "2", Ship: "kite-1", Usage: used(15)}},
		{KindDispatchDone, DispatchMark{Task: "2", Ship: "kite-1", Usage: used(20)}},
		{KindDispatchBegan, DispatchMark{Task: "3", Epoch: 1, Ship: "kite-1", Usage: used(30)}},
		{KindDispatchBegan, DispatchMark{Task: "3", Epoch: 2, Ship: "kite-2", Usage: used(0)}},
		{KindDispatchDone, DispatchMark{Task: "3", Epoch: 2, Ship: "kite-2", Usage: used(5)}},
	}
	book, err := journal.Open(d.Events())
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range append(marks, marks...) { // as after a damage
		if _, err := book.AddRecord(m.kind, m.DispatchMark); err != nil {
			t.Fatal(err)
		}
	}
	if err := book.Close(); err != nil {
		t.Fatal(err)
	}
	b := &Board{Ships: []ShipView{{Ship: Ship{Name: "kite-1"}, Usage: used(37)}}} // kite-2 is gone
	for _, id := range []string{"1", "2", "3"} {
		b.Tasks = append(b.Tasks, tasks.State{Task: tasks.Task{ID: id, Status: tasks.Completed}})
	}
	all, err := Dispatches(d, b)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []int64{15, 15, 12} {
		if is := all[i].Usage; is.Tokens != want || is.CostUSD != float64(want) {
			t.Errorf("dispatch %d used %+v, not %d", i+1, is, want)
		}
	}
}

// TestDispatchSunk tells that nothing waits any more in a pool that was sunk.
func TestDispatchSunk(t *testing.T) {
	b := &Board{Phase: Sunk, Tasks: []tasks.State{{Task: tasks.Task{ID: "1"}}, {Task: tasks.Task{ID: "2", Status: tasks.Completed}}}}
	all, err := Dispatches(Dir(t.TempDir()), b)
	if err != nil || all[0].State != DispatchFailed || all[0].Why == "" || all[1].State != DispatchDone {
		t.Errorf("%v: %+v", err, all)
	}
}
