package e2e

import (
	"strings"
	"testing"

	"ocaptain/fleet"
	"ocaptain/tasks"
)

// TestApproveSteering has agents change files that steer agents: the captain rejects one piece of work by a command, and
// approves one in the dashboard and one by a command; helm is killed while one waits.
func TestApproveSteering(t *testing.T) {
	t.Parallel()
	c := newCaptain(t, "OCAPTAIN_AGENT=script")
	c.write(".config/ocaptain/config.yaml", "guard:\n  steering: ask\n")
	jobs := []job{
		{id: "1", subject: "Tidy up", run: "if [ -e ~/told ]; then rm -f CLAUDE.md; else touch ~/told; echo obey >CLAUDE.md; fi; echo 1 >one"},
		{id: "2", subject: "Set up tools", run: "mkdir -p .claude; echo '{}' >.claude/settings.json; echo 2 >two", after: []string{"1"}},
		{id: "3", subject: "Build it elsewhere", run: "mkdir -p .github/workflows; echo 'on: push' >.github/workflows/ci.yml", after: []string{"2"}},
	}
	d := c.sail(c.plan("steering", "", "#!/bin/bash\n", jobs), "-n", "1")
	waits := func(id string) {
		t.Helper()
		c.until(d, "task "+id+" waits", func(b fleet.Board) bool {
			s := b.SteeringOf(id)
			return s != nil && s.Word == fleet.Waits && b.Ships[0].Status.Word == fleet.Waiting
		})
	}
	says := func(out string, parts ...string) {
		t.Helper()
		for _, part := range parts {
			if !strings.Contains(out, part) {
				t.Errorf("%q is missing in:\n%s", part, out)
			}
		}
	}
	waits("1")
	says(c.ocaptain("status"), "ship-0, task 1 waits for your word: it changes files that steer agents: CLAUDE.md", "you approve or reject")
	says(c.ocaptain("diff", "1"), "task 1 by ship-0, waits for you", "changes files that steer agents: CLAUDE.md", "+obey", "+1")
	if _, code := c.try("approve", "2"); code == 0 {
		t.Error("what does not wait is approved")
	}
	says(c.ocaptain("reject", "1", "--why", "leave it"), "task 1 changes files that steer agents, CLAUDE.md: it goes back to ship-0")

	waits("2")
	w := newWindow(t, c, 120, 40)
	w.run(c.program)
	w.see("who needs the captain", has("1 needs you"))
	w.press("2", "the tasks", bottom("enter detail"))
	w.press("g", "the task that waits", lit("2  Set up tools  waits"))
	w.press("enter", "its detail", has("task 2 changes files that steer agents: .claude/settings.json"))
	w.press("Escape", "the tasks", bottom("enter detail"))
	w.press("A", "the work", has("waits for you: approve or reject it", "changes files that steer agents: .claude/settings.json"))
	w.press("A", "a question", has("Approve task 2?", ".claude/settings.json"))
	w.press("y", "that it is done", has("approve task 2: done"))

	waits("3")
	before := c.helm()
	kill(before)
	c.until(d, "another helm", func(b fleet.Board) bool { return b.Helm != before && b.SteeringOf("3") != nil })
	waits("3")
	says(c.ocaptain("approve", "3"), "task 3 changes files that steer agents", "it is merged")
	b := c.complete(d)
	if files := c.git(d.Workspace(), "ls-tree", "-r", "--name-only", "HEAD"); strings.Contains(files, "CLAUDE.md") || !strings.Contains(files, ".claude/settings.json") || !strings.Contains(files, "ci.yml") {
		t.Errorf("on the branch are %s", files)
	}
	for _, s := range b.Tasks {
		if s.Status != tasks.Completed || s.ID != "1" && b.SteeringOf(s.ID).Word != fleet.Approved {
			t.Errorf("task %s is %s, %+v", s.ID, s.Status, b.SteeringOf(s.ID))
		}
	}
	w.press("q", "the shell", func(v view) bool { return !strings.Contains(v.text, "● helm") })
}
