//go:build long

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ocaptain/fleet"
	"ocaptain/fleet/agent/claudetest"
	"ocaptain/fleet/agent/loopback"
	"ocaptain/fleet/proctest"
)

// slowPlan has one task that a worker begins and does not end: the worker writes a file and sleeps.
func (c *captain) slowPlan() string {
	c.Helper()
	jobs := []job{{id: "1", subject: "Lay the keel", run: "echo half >keel && sleep 600"}}
	plan := c.plan("slow", "", "#!/bin/bash\ntest \"$(cat ~/voyage/workspace/keel)\" = half\n", jobs)
	raw, err := os.ReadFile(filepath.Join(plan, "tasks", "1.json"))
	if err != nil {
		c.Fatal(err)
	}
	c.write("slow/tasks/1.json", strings.Replace(string(raw), "Run: ", "RUN: ", 1))
	return plan
}

// logged returns the lines of a ship's log that have all the words.
func (c *captain) logged(d fleet.Dir, ship string, words ...string) []string {
	c.Helper()
	raw, err := os.ReadFile(d.LogFile(ship))
	if err != nil {
		c.Fatal(err)
	}
	var found []string
lines:
	for line := range strings.Lines(string(raw)) {
		for _, w := range words {
			if !strings.Contains(line, w) {
				continue lines
			}
		}
		found = append(found, line)
	}
	return found
}

// TestReplacedShipContinues replaces the machine under a real agent that has unmerged work. The agent on the next
// machine is told about the work, finds it as a patch, and completes the task with it.
func TestReplacedShipContinues(t *testing.T) {
	t.Parallel()
	api := claudetest.Start(t, func(r loopback.Request) loopback.Reply {
		first := strings.Join(r.Prompts(), "\n")
		if !strings.Contains(first, "leftover.patch") {
			return loopback.Worker(r)
		}
		// These are the steps of a model that reads what it is told.
		steps := []loopback.Reply{
			loopback.Use("TaskUpdate", map[string]any{"taskId": "1", "status": "in_progress"}),
			loopback.Use("Bash", map[string]any{"command": "git apply --3way ~/voyage/leftover.patch", "description": "Apply"}),
			loopback.Use("TaskUpdate", map[string]any{"taskId": "1", "status": "completed"}),
		}
		return loopback.Steps(steps...)(r)
	})
	c := newCaptain(t, claudeEnv(t, api)...)
	d := c.sail(c.slowPlan(), "-n", "1", "--agent", "claude")
	c.until(d, "unmerged work at home", func(b fleet.Board) bool {
		return len(b.Ships) == 1 && b.Ships[0].Changed > 0
	})
	c.ocaptain("ship", "replace", "ship-0", "--force")
	board := c.complete(d)
	if !board.Verify.Passed {
		t.Errorf("not verified: %s", board.Verify.Output)
	}
	var told string
	for _, s := range api.Sessions() {
		for _, p := range s.Last.Prompts() {
			if strings.Contains(p, "You continue the work") {
				told = p
			}
		}
	}
	for _, want := range []string{"You are ship-0 of " + d.ID(), "It held task 1 (Lay the keel)", "git apply --3way ~/voyage/leftover.patch", "> tool: TaskUpdate 1 in_progress", "not instructions to you"} {
		if !strings.Contains(told, want) {
			t.Errorf("the new agent was not told %q:\n%s", want, told)
		}
	}
	refs := c.git(d.Workspace(), "for-each-ref", "--format=%(refname)", "refs/ocaptain/parked/ship-0/")
	if refs == "" || c.git(d.Workspace(), "show", strings.Fields(refs)[0]+":keel") != "half" {
		t.Errorf("parked on %q", refs)
	}
}

// TestRebootedShipResumes kills all processes of a ship at once while its real agent works, as a power cut does. The
// ship comes back, and the agent resumes its session and its task.
func TestRebootedShipResumes(t *testing.T) {
	t.Parallel()
	api := claudetest.Start(t, func(r loopback.Request) loopback.Reply {
		for _, p := range r.Prompts() {
			if strings.Contains(p, "has been resumed") {
				for _, call := range r.Calls() {
					if call.Arg("status") == "completed" && call.OK() {
						return loopback.Say("Done.")
					}
				}
				return loopback.Use("TaskUpdate", map[string]any{"taskId": "1", "status": "completed"})
			}
		}
		return loopback.Worker(r)
	})
	c := newCaptain(t, claudeEnv(t, api)...)
	d := c.sail(c.slowPlan(), "-n", "1", "--agent", "claude")
	c.until(d, "unmerged work", func(b fleet.Board) bool {
		return len(b.Ships) == 1 && b.Ships[0].Changed > 0
	})
	where := filepath.Join(c.hub.State, "ships", d.ID()+"-ship0")
	for range 3 { // a process may just have started another
		for _, p := range proctest.With(where) {
			var pid int
			if _, err := fmt.Sscan(p, &pid); err == nil {
				kill(pid)
			}
		}
	}
	board := c.complete(d)
	if !board.Verify.Passed {
		t.Errorf("not verified: %s", board.Verify.Output)
	}
	if n := len(c.logged(d, "ship-0", `"agent.started"`, `"resumed":true`)); n == 0 {
		t.Errorf("the session was not resumed: %q", c.logged(d, "ship-0", `"agent.started"`))
	}
	if n := len(c.logged(d, "ship-0", `"agent.started"`)); n > 3 {
		t.Errorf("the agent was started %d times", n)
	}
	working := map[string]bool{}
	for _, s := range api.Sessions() {
		if len(s.Last.Tools) > 0 {
			working[s.ID] = true
		}
	}
	if len(working) != 1 {
		t.Errorf("%d sessions worked, want one that goes on", len(working))
	}
}
