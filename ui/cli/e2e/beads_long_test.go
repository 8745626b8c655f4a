//go:build long

package e2e

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"ocaptain/fleet/agent/claudetest"
	"ocaptain/fleet/agent/loopback"
	"ocaptain/tasks/beads"
)

// TestBeadsClaude has the real Claude Code, as planner and worker, do the ready ones of 200 issues. These issues are closed, together
// with the parts of the issue that Claude Code breaks down, and no other line changes.
func TestBeadsClaude(t *testing.T) {
	t.Parallel()
	api := claudetest.Start(t, loopback.Worker)
	c := newCaptain(t, claudeEnv(t, api)...)
	repo := c.freshRepository("kite")
	var lines strings.Builder
	for n := range 200 {
		issue := map[string]any{
			"id": fmt.Sprintf("kite-%d", n), "title": fmt.Sprintf("Issue %d", n), "status": "open", "priority": n % 5, "issue_type": "task",
			"created_at": "2026-01-31T12:00:00Z", "updated_at": "2026-01-31T12:00:00Z", "own": n,
		}
		switch {
		case n == 0:
			issue["issue_type"], issue["description"] = "epic", handsIn(`{"title": "Write the log", "description": "RUN: echo log >log"}`)
		case n <= 2:
			issue["description"] = fmt.Sprintf("RUN: echo %d >file-%d", n, n)
		case n%3 == 0:
			issue["status"], issue["closed_at"] = "closed", "2026-01-31T13:00:00Z"
		case n%3 == 1:
			issue["status"] = "in_progress"
		default:
			issue["dependencies"] = []beads.Dependency{{Issue: fmt.Sprintf("kite-%d", n), DependsOn: fmt.Sprintf("kite-%d", n-1), Type: "blocks"}}
		}
		line, err := json.Marshal(issue)
		if err != nil {
			t.Fatal(err)
		}
		lines.Write(append(line, '\n'))
	}
	c.write(filepath.Join("kite", beads.Name), lines.String())
	c.git(repo, "add", ".")
	c.git(repo, "commit", "-qm", "issues")
	c.ocaptain("start", "--repo", repo, "--workers", "1", "--branch", "feat/x", "--beads", "--detach")
	f := c.closes(c.voyages()[0], lines.String(), "kite-0", "kite-1", "kite-2")
	closed := 0
	for _, i := range f.Issues() {
		if i.Parent() == "kite-0" && i.Status == beads.Closed {
			closed++
		}
	}
	if closed != 1 || len(f.Issues()) != 201 || len(f.Defects) > 0 {
		t.Errorf("%d parts are closed, and there are %d issues: %v", closed, len(f.Issues()), f.Defects)
	}
}
