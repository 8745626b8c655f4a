package e2e

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"ocaptain/fleet"
	"ocaptain/fleet/summed"
	"ocaptain/tasks"
	"ocaptain/tasks/eventually"
	"ocaptain/tasks/redislog/redistest"
)

// planOf returns the command of a planner that hands in a list of tasks at once.
func planOf(list string) string { return "echo '{\"tasks\": [" + list + "]}' | ocaptain task plan -" }

// TestRedis has a session keep its tasks in a Redis that is killed while an agent works: the agent goes on, helm merges nothing and tells the
// captain, and everything goes on by itself once Redis is back, although helm was killed meanwhile. The session is sunk without Redis.
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
	c.joins(d, server.URL)
	server.Kill()
	c.until(d, "the captain is told", func(b fleet.Board) bool { return strings.Contains(b.Redis.Why, "does not answer") })
	eventually.Holds(t, "needs lists it", func() bool {
		out, _ := c.try("needs")
		return strings.Contains(out, "has no part in the session")
	})
	c.write(filepath.Join(".local/share/ocaptain/ships", ship, "home/go"), "")
	c.until(d, "the agent is done with its work, which waits", func(b fleet.Board) bool {
		i := slices.IndexFunc(b.Tasks, func(x tasks.State) bool { return x.Subject == "one" })
		return c.processOf(ship, "sleep 0.1") == 0 && b.Tasks[i].Status == tasks.InProgress
	})
	if pid := c.helm(); syscall.Kill(pid, syscall.SIGKILL) != nil {
		t.Error("there is no helm")
	}
	c.ocaptain("needs") // starts the next
	c.until(d, "the next helm has no part in the session either", func(b fleet.Board) bool { return b.Helm == c.helm() && !b.Redis.IsNone() })
	server.Run(t)
	b := c.allDone(d, 5)
	if !b.Redis.IsNone() {
		t.Errorf("the captain is still told: %v", b.Redis)
	}
	server.Kill()
	c.ocaptain("sink", "--all", "-f") // without Redis
	if _, err := os.Stat(d.Admission()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("what opens Redis is still there: %v", err)
	}
}

// joins has a captain with only the session's secret read the tasks of a session and add an epic.
func (c *captain) joins(d fleet.Dir, address string) {
	c.Helper()
	var opens fleet.Admission
	if err := summed.Read(d.Admission(), &opens); err != nil {
		c.Fatal(err)
	}
	c.scan.add(newSecret("OCAPTAIN_SESSION_SECRET", opens.Secret, false))
	other := *c
	other.env = append(slices.Clone(c.env), "HOME="+c.TempDir(), "OCAPTAIN_SESSION_SECRET="+opens.Secret)
	if out := other.ocaptain("join", address, d.ID()); !strings.Contains(out, "two") || !strings.Contains(out, "worker-0") {
		c.Errorf("join shows:\n%s", out)
	}
	if out := other.ocaptain("join", address, d.ID(), "--add", planOf(`{"title": "three", "run": "echo three >three"}`)); !strings.Contains(out, "is asked for as task 2") {
		c.Errorf("join --add says:\n%s", out)
	}
	if out, code := other.try("join", address, "voyage-000000000000"); code != 3 {
		c.Errorf("join of no session: code %d\n%s", code, out)
	}
	other.env = append(other.env, "OCAPTAIN_SESSION_SECRET=another")
	if out, code := other.try("join", address, d.ID(), "--add", "echo forged"); code != 4 || !strings.Contains(out, "OCAPTAIN_SESSION_SECRET") {
		c.Errorf("join with another secret: code %d\n%s", code, out)
	}
}
