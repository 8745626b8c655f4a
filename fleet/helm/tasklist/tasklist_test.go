package tasklist

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"ocaptain/tasks"
)

// TestChanged changes some tasks of a list and inserts others: Changed lists only these.
func TestChanged(t *testing.T) {
	t.Parallel()
	luck := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		var was, is, want []*tasks.State
		for i := range luck.IntN(300) {
			now := &tasks.State{Task: tasks.Task{ID: fmt.Sprint(i)}}
			switch luck.IntN(100) {
			case 0: // a new task
				want = append(want, now)
			case 1:
				was, want = append(was, &tasks.State{Task: now.Task}), append(want, now)
			default:
				was = append(was, now)
			}
			is = append(is, now)
		}
		if got := Changed(was, is); !slices.Equal(got, want) {
			t.Fatalf("%d of %d have changed, not %d", len(got), len(is), len(want))
		}
	}
}

func TestFitting(t *testing.T) {
	t.Parallel()
	var all []tasks.Task
	for i := range 300 {
		all = append(all, tasks.Task{ID: fmt.Sprint(i)})
	}
	if n := fitting(all); n != 200 {
		t.Errorf("small tasks: %d at once", n)
	}
	for i := range all {
		all[i].Description = string(make([]byte, 10<<10)) // each byte has six as JSON
	}
	if n := fitting(all); n < 5 || n > 9 {
		t.Errorf("big tasks: %d at once", n)
	}
	all[0].Description = string(make([]byte, 1<<20))
	if n := fitting(all); n != 1 {
		t.Errorf("a huge task goes with %d others", n-1)
	}
	if fitting(nil) != 0 {
		t.Error("nothing is something")
	}
}
