//go:build long

package planfile

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"ocaptain/tasks"
)

// The verify.sh of an example passes when all its tasks are done, and fails when any single task is missing.
func TestExamplesRun(t *testing.T) {
	for _, name := range Examples() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			plan := open(t, name)
			w := newWorkshop(t)
			w.begin()
			if out, err := w.verify(plan); err == nil {
				t.Fatalf("nothing is done, but verify says %s", out)
			}
			all := order(plan)
			commits := map[string]string{}
			for _, task := range all {
				w.do(task)
				commits[task.ID] = w.must("git", "rev-parse", "HEAD")
			}
			if out, err := w.verify(plan); err != nil {
				t.Fatalf("everything is done, but verify says %s", out)
			}
			if out, err := w.copy(t).verify(plan); err != nil {
				t.Fatalf("everything is there in a clone, but verify says %s", out)
			}
			for _, task := range all {
				t.Run("without "+task.ID, func(t *testing.T) {
					t.Parallel()
					c := w.copy(t)
					c.undo(commits[task.ID])
					if last := all[len(all)-1]; task.ID != last.ID {
						if out, err := c.try("sh", "-c", last.Run()); err != nil {
							t.Logf("the last task notices: %s", out)
						}
					}
					if out, err := c.verify(plan); err == nil {
						t.Errorf("verify says %s", out)
					}
				})
			}
		})
	}
}

// Ships begin from different commits and complete in any order: their work merges without conflict,
// and the result is right.
func TestExamplesMerge(t *testing.T) {
	for _, c := range []struct {
		name  string
		ships int
	}{{"tiny", 3}, {"harbor", 3}, {"harbor", 28}} {
		t.Run(fmt.Sprintf("%s on %d", c.name, c.ships), func(t *testing.T) {
			t.Parallel()
			plan := open(t, c.name)
			w := newWorkshop(t)
			w.begin()
			chance := rand.New(rand.NewPCG(1, uint64(c.ships)))
			done := map[string]bool{}
			begun := map[string]bool{}
			type hold struct {
				task tasks.Task
				ship workshop
			}
			var held []hold
			for len(done) < len(plan.Tasks) {
				var ready []string
				for _, task := range plan.Tasks {
					open := slices.ContainsFunc(task.BlockedBy, func(id string) bool { return !done[id] })
					if !open && !begun[task.ID] {
						ready = append(ready, task.ID)
					}
				}
				if len(ready) > 0 && len(held) < c.ships && (len(held) == 0 || c.ships > 3 || chance.IntN(3) > 0) {
					task := plan.Graph.Task(ready[0])
					begun[task.ID] = true
					ship := w.copy(t)
					ship.do(task)
					held = append(held, hold{task, ship})
					continue
				}
				i := chance.IntN(len(held))
				w.must("git", "fetch", "-q", held[i].ship.repo(), "main")
				w.must("git", "merge", "-q", "-m", held[i].task.ID, "FETCH_HEAD")
				if check := held[i].task.Verify(); check != "" {
					w.must("sh", "-c", check)
				}
				done[held[i].task.ID] = true
				held = slices.Delete(held, i, i+1)
			}
			if out, err := w.verify(plan); err != nil {
				t.Errorf("verify says %s", out)
			}
		})
	}
}
