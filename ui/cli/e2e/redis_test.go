package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ocaptain/fleet"
	"ocaptain/tasks"
	"ocaptain/tasks/eventually"
	"ocaptain/tasks/redislog/redistest"
)

// planOf is what a planner is asked for that hands in a list of tasks at once.
func planOf(list string) string { return "echo '{\"tasks\": [" + list + "]}' | ocaptain task plan -" }

// TestRedis has a session keep its tasks in a Redis that is killed while an agent works: the agent goes on, nothing is merged, the captain is
// told, and all goes on by itself once Redis is back.
func TestRedis(t *testing.T) {
	t.Parallel()
	const password = "pw-that-nobody-may-see"
	server := redistest.Start(t, "--requirepass", password)
	c := newCaptain(t, "REDIS_PASSWORD="+password)
	repo := c.freshRepository("kite")
	c.write("captain.yaml", "redis: {url: \"unix:///nowhere\"}\n")
	start := []string{
		"start", "--repo", repo, "--agent", "script", "--workers", "1", "--validators", "0", "--branch", "feat/x", "--detach",
		"--task", planOf(`{"id": "1", "title": "one", "run": "until test -e ~/go; do sleep 0.1; done; echo one >one"}, {"title": "two", "run": "echo two >two", "depends_on": ["1"]}`),
	}
	if out, code := c.try(append(start, "--config", filepath.Join(c.home, "captain.yaml"))...); code != 1 || !strings.Contains(out, "redis.url: redis does not answer") || len(c.voyages()) > 0 {
		t.Fatalf("start with a Redis that is not there: code %d\n%s", code, out)
	}
	c.ocaptain(append(start, "--redis", server.URL)...)
	d := c.voyages()[0]
	var ship string
	c.until(d, "the worker works", func(b fleet.Board) bool {
		for i, s := range b.Ships {
			if s.State.Task == "1-1" && s.Role == fleet.Worker {
				ship = (&fleet.Ship{Number: i, Built: 1}).MachineName(d.ID())
			}
		}
		return ship != ""
	})
	server.Kill()
	c.until(d, "the captain is told", func(b fleet.Board) bool { return strings.Contains(b.Redis.Why, "does not answer") })
	eventually.Holds(t, "needs lists it", func() bool {
		out, _ := c.try("needs")
		return strings.Contains(out, "has no part in the session")
	})
	c.write(filepath.Join(".local/share/ocaptain/ships", ship, "home/go"), "")
	if raw, err := os.ReadFile(d.Admission()); err != nil || !strings.Contains(string(raw), password) {
		t.Errorf("%s: %q, %v", d.Admission(), raw, err)
	}
	c.until(d, "the agent is done with its work, which waits", func(b fleet.Board) bool {
		return c.processOf(ship, "sleep 0.1") == 0 && b.Tasks[1].Status == tasks.InProgress
	})
	server.Run(t)
	b := c.allDone(d, 3)
	if !b.Redis.IsNone() {
		t.Errorf("the captain is still told: %v", b.Redis)
	}
}
