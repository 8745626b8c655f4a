//go:build long

package e2e

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"ocaptain/fleet"
	"ocaptain/tasks/eventually"
)

// runs is how often TestHubsFaults does a session.
const runs = 20

// TestHubsFaults has two hubs with three workers and a validator each do sessions of 3 epics and 40 tasks, while somebody kills the helm of either,
// kills Redis, cuts the link of either to Redis and the repository, so that packets vanish, and takes the repository away for a while. Each task
// is merged once, after its blockers, approved before.
func TestHubsFaults(t *testing.T) {
	t.Parallel()
	for run := range runs {
		t.Run(fmt.Sprint(run), func(t *testing.T) {
			t.Parallel()
			faults(t, rand.New(rand.NewPCG(uint64(run), 57)))
		})
	}
}

func faults(t *testing.T, random *rand.Rand) {
	flags := []string{"--workers", "3"}
	h := newHubs(t, ": a\n"+planOf(tasksOf(random, "a", 13)), "15s", flags, flags)
	h.begins.ocaptain("add", "--voyage", h.session.ID(), ": b\n"+planOf(tasksOf(random, "b", 13)))
	h.joins.ocaptain("add", "--voyage", h.joined.ID(), ": c\n"+planOf(tasksOf(random, "c", 14)))
	over := make(chan struct{})
	var hand sync.WaitGroup
	hand.Go(func() {
		for {
			select {
			case <-over:
				return
			case <-eventually.Later(time.Duration(500+random.IntN(4000)) * time.Millisecond):
			}
			what := random.IntN(6)
			t.Log(time.Now().Format(time.TimeOnly), "fault", what)
			if err := h.fault(what, time.Duration(random.IntN(3000))*time.Millisecond); err != nil {
				t.Error(err)
				return
			}
		}
	})
	h.begins.until(h.session, "most tasks are done", func(b fleet.Board) bool {
		_, _, n := b.CountTasks()
		return n >= 30
	})
	close(over)
	hand.Wait()
	h.done(43)
}

// tasksOf returns n tasks as a planner hands them in. Some wait for up to two others.
func tasksOf(random *rand.Rand, name string, n int) string {
	var list []string
	for i := range n {
		var after []string
		for range min(i, random.IntN(3)) {
			if id := fmt.Sprintf(`"%d"`, random.IntN(i)); len(after) == 0 || after[0] != id {
				after = append(after, id)
			}
		}
		list = append(list, fmt.Sprintf(`{"id": "%[1]d", "title": "%[2]s %[1]d", "run": "sleep 0.%[3]d; echo %[1]d >%[2]s%[1]d", "depends_on": [%[4]s]}`, i, name, random.IntN(10), strings.Join(after, ",")))
	}
	return strings.Join(list, ", ")
}

// fault makes one of six faults, which lasts for a while until helm is started again.
func (h *hubs) fault(what int, lasts time.Duration) error {
	pause := func(d time.Duration) { <-eventually.Later(d) }
	switch c := []*captain{h.begins, h.joins}[what%2]; what {
	case 0, 1:
		if pid := c.helm(); pid != 0 {
			kill(pid)
		}
		c.ocaptain("needs")
	case 2, 3: // one of them is cut from Redis and the repository
		h.net.Cut(what % 2)
		pause(5 * lasts) // git takes 15 s to notice, and as long is the lease
		h.net.Mend(what % 2)
	case 4:
		h.redis.Kill()
		pause(lasts)
		h.redis.Run(h)
	case 5:
		if err := os.Rename(h.shared, h.shared+".away"); err != nil {
			return err
		}
		pause(lasts)
		return os.Rename(h.shared+".away", h.shared)
	}
	return nil
}
