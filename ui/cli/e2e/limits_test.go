//go:build long

package e2e

import (
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/agent/claudetest"
	"ocaptain/fleet/agent/loopback"
)

// weather is a brain that works only while the simulated service is available.
type weather struct {
	mu      sync.Mutex
	trouble *loopback.Reply
}

func (w *weather) set(r *loopback.Reply) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.trouble = r
}

func (w *weather) answer(r loopback.Request) loopback.Reply {
	w.mu.Lock()
	trouble := w.trouble
	w.mu.Unlock()
	if trouble != nil {
		return *trouble
	}
	return loopback.Worker(r)
}

// realPlan writes a plan for the real Claude Code, in a repository of its own.
func (c *captain) realPlan(t testing.TB, jobs []job, verify string) string {
	t.Helper()
	c.write("project/README", "begin\n")
	repo := filepath.Join(c.home, "project")
	c.git(repo, "init", "-q")
	c.git(repo, "add", "-A")
	c.git(repo, "commit", "-qm", "begin")
	plan := c.plan("real", repo, verify, jobs)
	c.toldByModel("real", jobs)
	return plan
}

// TestServiceIsAway lets the service fail for three ships in the middle of their work, and kills helm meanwhile. The
// ships are shown as limited, one of them tries now and then, and when it works the others follow by
// themselves.
func TestServiceIsAway(t *testing.T) {
	t.Parallel()
	w := &weather{}
	api := claudetest.Start(t, w.answer)
	c := newCaptain(t, claudeEnv(t, api)...)
	var jobs []job
	for i := 1; i <= 6; i++ {
		jobs = append(jobs, job{id: fmt.Sprint(i), subject: fmt.Sprintf("Build part %d", i), run: fmt.Sprintf("sleep 1; echo %d >part%d", i, i)})
	}
	plan := c.realPlan(t, jobs, "#!/bin/bash\nset -eu\ncd ~/voyage/workspace\ntest \"$(cat part* | tr -d '\\n')\" = 123456\n")
	d := c.sail(plan, "-n", "3", "--agent", "claude")
	c.until(d, "work", func(b fleet.Board) bool {
		n := 0
		for _, s := range b.Ships {
			if s.Task != "" {
				n++
			}
		}
		return n == 3
	})
	storm := loopback.Fail(529, "overloaded_error", "Overloaded")
	storm.Error.Header = http.Header{"x-should-retry": {"false"}} // otherwise each agent would retry by itself for minutes
	w.set(&storm)
	limited := func(b fleet.Board) int {
		n := 0
		for _, s := range b.Ships {
			if s.Status.Word == fleet.Limited && strings.HasPrefix(s.Status.Reason, "API overloaded") {
				n++
			}
		}
		return n
	}
	c.until(d, "all are limited", func(b fleet.Board) bool { return limited(b) == 3 })
	before := len(api.Log())
	kill(c.helm())
	c.until(d, "a second try is announced", func(b fleet.Board) bool {
		for _, s := range b.Ships {
			if strings.HasPrefix(s.Status.Reason, "API overloaded, tried again in ") && strings.HasSuffix(s.Status.Reason, "(2nd time)") {
				return limited(b) == 3
			}
		}
		return false
	})
	if tries := api.Log()[before:]; len(tries) != 1 {
		t.Errorf("%d requests while the service was away, want one try of one ship", len(tries))
	}
	if out := c.ocaptain("status"); !strings.Contains(out, "API overloaded, tried again in") {
		t.Errorf("status says\n%s", out)
	}
	if out := c.ocaptain("logs"); !strings.Contains(out, "limited: API overloaded") {
		t.Errorf("logs say\n%s", out)
	}
	before = len(api.Log())
	w.set(nil)
	board := c.complete(d)
	checkVoyage(t, c, d, board, jobs)
	first := api.Log()[before]
	for _, e := range api.Log()[before:] {
		if e.Session != first.Session {
			if e.At.Sub(first.At) < 500*time.Millisecond {
				t.Errorf("another ship followed %s after the first", e.At.Sub(first.At))
			}
			break
		}
	}
	for _, task := range board.Tasks {
		if task.Attempts > 1 {
			t.Errorf("task %s was taken from its ship", task.ID)
		}
	}
}
