package need

import (
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"ocaptain/fleet"
	"ocaptain/tasks"
)

// chain returns a board of tasks that each wait for the next; the last is on hold.
func chain(n int) *fleet.Board {
	b := &fleet.Board{Phase: fleet.Sailing, Tasks: make([]tasks.State, n)}
	for i := range b.Tasks {
		b.Tasks[i].Task = tasks.Task{ID: fmt.Sprint(i + 1), Status: tasks.Pending, BlockedBy: []string{fmt.Sprint(i + 2)}}
	}
	last := &b.Tasks[n-1]
	last.BlockedBy, last.OnHold = nil, true
	return b
}

func BenchmarkRoots(b *testing.B) {
	for _, n := range []int{5_000, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for board := chain(n); b.Loop(); {
				if root := Roots(board); len(root) != n || root["1"] != fmt.Sprint(n) {
					b.Fatal(len(root))
				}
			}
		})
	}
}

// BenchmarkNeeds finds the needs of 100 ships on a board where all tasks but the last one are done.
func BenchmarkNeeds(b *testing.B) {
	board := chain(10_000)
	for i := range board.Tasks[1:] {
		board.Tasks[i].Status = tasks.Completed
	}
	for i := range 100 {
		board.Ships = append(board.Ships, fleet.ShipView{Ship: fleet.Ship{Name: fmt.Sprint("ship-", i), Phase: fleet.Afloat}, Status: fleet.Status{Word: fleet.Waiting, Need: fleet.NeedAnswer, Reason: "asks"}})
	}
	for b.Loop() {
		All(time.Now(), board, Away{})
	}
}

// TestRoots compares the roots in random graphs, with cycles and unknown blockers, to the results of a simple repeated search.
func TestRoots(t *testing.T) {
	luck := rand.New(rand.NewPCG(1, 2))
	found := 0
	for range 2000 {
		b := &fleet.Board{Tasks: make([]tasks.State, 1+luck.IntN(9))}
		n := len(b.Tasks)
		for i := range b.Tasks {
			is := &b.Tasks[i]
			is.ID, is.Status = fmt.Sprint(i), []tasks.Status{tasks.Pending, tasks.Pending, tasks.InProgress, tasks.Completed}[luck.IntN(4)]
			is.OnHold = is.Status == tasks.Pending && luck.IntN(4) == 0
			for range luck.IntN(3) {
				is.BlockedBy = append(is.BlockedBy, fmt.Sprint(luck.IntN(n+1))) // the last id is of no task
			}
		}
		want := map[string]string{}
		for more := true; more; {
			more = false
			for i := range b.Tasks {
				is := &b.Tasks[i]
				first, goesOn := "", is.Status != tasks.Pending
				for _, id := range is.BlockedBy {
					if at := slices.IndexFunc(b.Tasks, func(o tasks.State) bool { return o.ID == id }); at < 0 || b.Tasks[at].Status != tasks.Completed {
						first, goesOn = cmp.Or(first, want[id]), goesOn || want[id] == ""
					}
				}
				if is.OnHold {
					first, goesOn = is.ID, false
				}
				if want[is.ID] == "" && first != "" && !goesOn {
					want[is.ID], more = first, true
				}
			}
		}
		is := Roots(b)
		if !maps.Equal(is, want) {
			t.Fatalf("%v, want %v, of %+v", is, want, b.Tasks)
		}
		found += len(is)
	}
	if found == 0 {
		t.Error("nothing waits")
	}
}
