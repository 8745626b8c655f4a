//go:build long

package e2e

import (
	"fmt"
	"strings"
	"testing"

	"ocaptain/fleet"
	"ocaptain/fleet/agent/claudetest"
	"ocaptain/fleet/agent/loopback"
	"ocaptain/tasks"
)

// TestPausedAgents interrupts real agents in the middle of their tasks for a pause, and kills helm meanwhile. No task is claimed or
// requeued until the pause ends; then the agents go on with what they held, without a message.
func TestPausedAgents(t *testing.T) {
	t.Parallel()
	api := claudetest.Start(t, loopback.Worker)
	c := newCaptain(t, claudeEnv(t, api)...)
	var jobs []job
	for i := 1; i <= 4; i++ {
		jobs = append(jobs, job{id: fmt.Sprint(i), subject: fmt.Sprintf("Build part %d", i), run: fmt.Sprintf("sleep 2; echo %d >part%d", i, i)})
	}
	plan := c.realPlan(t, jobs, "#!/bin/bash\nset -eu\ncd ~/voyage/workspace\ntest \"$(cat part* | tr -d '\\n')\" = 1234\n")
	d := c.sail(plan, "-n", "2", "--agent", "claude")
	all := func(holds func(fleet.ShipView) bool) func(fleet.Board) bool {
		return func(b fleet.Board) bool {
			n := 0
			for _, s := range b.Ships {
				if holds(s) {
					n++
				}
			}
			return n == 2
		}
	}
	c.until(d, "work", all(func(s fleet.ShipView) bool { return s.Task != "" && s.State.Tool == "Bash" }))
	c.ocaptain("pause", d.ID(), "--now")
	paused := all(func(s fleet.ShipView) bool {
		return s.Status.Word == fleet.Idle && strings.HasPrefix(s.Status.Reason, "paused by you")
	})
	before := c.until(d, "all are paused", paused)
	old := before.Helm
	kill(c.helm())
	after := c.until(d, "all are paused at a new helm", func(b fleet.Board) bool { return b.Helm != old && paused(b) })
	for i := range after.Tasks {
		if was, is := before.Tasks[i], after.Tasks[i]; was.Status != is.Status || was.Owner != is.Owner || was.Epoch != is.Epoch {
			t.Errorf("task %s was %s by %s, and is %s by %s", was.ID, was.Status, was.Owner, is.Status, is.Owner)
		}
	}
	if out := c.ocaptain("needs", d.ID()); !strings.Contains(out, "Nothing needs you.") {
		t.Errorf("during the pause needs says\n%s", out)
	}
	if out := c.ocaptain("resume", d.ID()); !strings.Contains(out, "goes on after a pause") {
		t.Errorf("resume said %q", out)
	}
	board := c.complete(d)
	checkVoyage(t, c, d, board, jobs)
	for _, task := range board.Tasks {
		if task.Attempts > 1 || task.Status != tasks.Completed {
			t.Errorf("task %s is %s after %d attempts", task.ID, task.Status, task.Attempts)
		}
	}
}
