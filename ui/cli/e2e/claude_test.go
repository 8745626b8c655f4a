package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/agent/claudetest"
	"ocaptain/fleet/agent/loopback"
)

// claudeEnv returns a captain's environment for the real Claude Code against a loopback API. It uses this user's
// cache, because the program in it is large.
func claudeEnv(t testing.TB, api *claudetest.API) []string {
	t.Helper()
	claudetest.Binary(t)
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	return []string{"ANTHROPIC_API_KEY=sk-ant-api03-only-for-tests-0123456789", "ANTHROPIC_BASE_URL=" + api.URL, "XDG_CACHE_HOME=" + cache}
}

// TestRealAgents sails a small plan with three ships, each the real Claude Code in its own terminal. All three want
// the first task at once; most end their turn several times while others work; the repository tries to switch the
// hooks off. The test runs many processes: the agents start shells, and a hook with each tool use.
func TestRealAgents(t *testing.T) {
	t.Parallel()
	api := claudetest.Start(t, loopback.Worker)
	c := newCaptain(t, claudeEnv(t, api)...)
	c.write("project/.claude/settings.json", `{"disableAllHooks": true}`)
	c.write("project/README", "begin\n")
	repo := filepath.Join(c.home, "project")
	c.git(repo, "init", "-q")
	c.git(repo, "add", "-A")
	c.git(repo, "commit", "-qm", "begin")

	jobs := []job{{id: "1", subject: "Lay the keel", run: "echo keel >keel"}}
	for i := 2; i <= 5; i++ {
		jobs = append(jobs, job{id: fmt.Sprint(i), subject: fmt.Sprintf("Build part %d", i), run: fmt.Sprintf("echo %d >part%d", i, i), after: []string{"1"}})
	}
	jobs = append(jobs, job{id: "6", subject: "Launch her", run: "cat part* >ship", after: []string{"2", "3", "4", "5"}})
	plan := c.plan("real", repo, "#!/bin/bash\nset -eu\ncd ~/voyage/workspace\ntest \"$(cat ship | tr -d '\\n')\" = 2345\n", jobs)
	c.toldByModel("real", jobs)
	d := c.sail(plan, "-n", "3", "--agent", "claude")
	board := c.complete(d)
	checkVoyage(t, c, d, board, jobs)

	for _, s := range board.Ships {
		c.until(d, s.Name+" rests", func(b fleet.Board) bool {
			for _, v := range b.Ships {
				if v.Name == s.Name {
					return v.Status.Word == fleet.Done
				}
			}
			return false
		})
	}
	// Claude Code wipes a finished list after 5 s; nothing may be missing after that.
	time.Sleep(7 * time.Second) // no event says that something does not happen
	for _, where := range []string{d.TasksDir()} {
		left, _ := filepath.Glob(filepath.Join(where, "[0-9]*.json"))
		if len(left) != len(jobs) {
			t.Errorf("%s has %d tasks, want %d", where, len(left), len(jobs))
		}
	}
	for _, s := range board.Ships {
		where := filepath.Join(c.hub.State, "ships", s.Machine.Name, "home", ".claude", "tasks", d.ID()+"-tasks")
		left, _ := filepath.Glob(filepath.Join(where, "[0-9]*.json"))
		if len(left) != len(jobs) {
			t.Errorf("%s: %s has %d tasks, want %d", s.Name, where, len(left), len(jobs))
		}
	}
}

// toldByModel rewrites the jobs of a plan for the stand-in for a model, which reads a command where a model reads its
// task.
func (c *captain) toldByModel(plan string, jobs []job) {
	c.Helper()
	for _, j := range jobs {
		name := fmt.Sprintf("%s/tasks/%s.json", plan, j.id)
		raw, err := os.ReadFile(filepath.Join(c.home, name))
		if err != nil {
			c.Fatal(err)
		}
		c.write(name, strings.Replace(string(raw), "Run: ", "RUN: ", 1))
	}
}
