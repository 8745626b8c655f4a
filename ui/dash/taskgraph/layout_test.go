package taskgraph

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"ocaptain/tasks"
)

// randomTasks returns n tasks that wait for earlier tasks, or for any tasks if loops is set.
func randomTasks(r *rand.Rand, n int, loops bool) []tasks.Task {
	all := make([]tasks.Task, n)
	for i := range all {
		all[i].ID = fmt.Sprint(i)
		for range r.IntN(3) {
			if loops {
				all[i].BlockedBy = append(all[i].BlockedBy, fmt.Sprint(r.IntN(n+1)))
			} else if i > 0 {
				all[i].BlockedBy = append(all[i].BlockedBy, fmt.Sprint(r.IntN(i)))
			}
		}
	}
	return all
}

// Every blocker of every task is shown once: by a line, or in words on the box. Nets on a track do
// not touch.
func TestEveryBlockerIsTold(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for round := range 200 {
		all := randomTasks(r, 1+r.IntN(120), round%3 == 0)
		task := func(i int) *tasks.Task { return &all[i] }
		o := tasks.NewOrder(len(all), task)
		g := New(o, task)
		told := map[[2]int32]int{}
		for c := range g.channels {
			for _, track := range g.channels[c].tracks {
				for n, net := range track {
					if n > 0 && track[n-1].bottom >= net.top {
						t.Fatalf("nets %+v and %+v touch", track[n-1], net)
					}
					for _, to := range net.to {
						told[[2]int32{net.from, to}]++
					}
				}
			}
		}
		for i, list := range g.Also {
			for _, j := range list {
				told[[2]int32{j, int32(i)}]++
			}
		}
		edges := 0
		for i, list := range o.Before {
			for _, j := range list {
				if edges++; told[[2]int32{j, int32(i)}] != 1 {
					t.Fatalf("task %d waits for %d, told %d times", i, j, told[[2]int32{j, int32(i)}])
				}
			}
		}
		if len(told) != edges {
			t.Fatalf("%d told, %d blockers", len(told), edges)
		}
		for c, list := range g.columns {
			for n := 1; n < len(list); n++ {
				if g.slot[list[n-1]] >= g.slot[list[n]] {
					t.Fatalf("column %d: tasks on top of each other", c)
				}
			}
		}
	}
}
