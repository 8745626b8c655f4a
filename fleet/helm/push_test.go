package helm

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"ocaptain/tasks"
)

// TestChanged changes some tasks of a list and puts others in between, and a ship is sent these and no more.
func TestChanged(t *testing.T) {
	t.Parallel()
	luck := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		var was, is, want []*tasks.State
		for i := range luck.IntN(300) {
			now := &tasks.State{Task: tasks.Task{ID: fmt.Sprint(i)}}
			switch luck.IntN(100) {
			case 0: // it is new
				want = append(want, now)
			case 1:
				was, want = append(was, &tasks.State{Task: now.Task}), append(want, now)
			default:
				was = append(was, now)
			}
			is = append(is, now)
		}
		if got := changed(was, is); !slices.Equal(got, want) {
			t.Fatalf("%d of %d have changed, not %d", len(got), len(is), len(want))
		}
	}
}
