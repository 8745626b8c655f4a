//go:build long

package e2e

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/agent/claudetest"
	"ocaptain/fleet/agent/loopback"
	"ocaptain/tasks"
)

// TestSessionKilled kills helm again and again while planners hand in and workers merge: nothing is lost, added or merged twice, and no
// epic is done before its parts are.
func TestSessionKilled(t *testing.T) {
	t.Parallel()
	const epics, parts = 4, 6
	c := newCaptain(t)
	repo := c.freshRepository("kite")
	epic := func(n int) string {
		list := ""
		for i := range parts {
			list += fmt.Sprintf(`{"id": "%d", "title": "part %d of %d", "run": "echo x >>~/ran; sleep 0.2; echo %d >file-%d-%d", "depends_on": [`, i, i, n, i, n, i)
			if i > 1 {
				list += fmt.Sprintf(`"%d"`, i-2)
			}
			list += "]},"
		}
		return fmt.Sprintf("echo '{\"tasks\": [%s]}' | ocaptain task plan -", strings.TrimSuffix(list, ","))
	}
	c.ocaptain("start", "--repo", repo, "--agent", "script", "--workers", "3", "--branch", "feat/x", "--detach", "--task", epic(1))
	d := c.voyages()[0]
	for n := 2; n <= epics; n++ {
		c.ocaptain("add", epic(n))
	}
	const all = epics * (parts + 1)
	for i := range 6 {
		c.until(d, "some more is done", func(b fleet.Board) bool { _, _, n := b.CountTasks(); return n >= i*all/8 })
		if pid := c.helm(); pid > 0 {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
		c.ocaptain("needs") // starts the next
	}
	b := c.until(d, "all is done and verified", func(b fleet.Board) bool {
		_, _, n := b.CountTasks()
		return b.Phase == fleet.Complete && n == all
	})
	completed := map[string]time.Time{}
	for i := range b.Tasks {
		x := &b.Tasks[i]
		completed[x.ID] = x.CompletedAt
	}
	merges := strings.Fields(c.git(d.Workspace(), "log", "--format=%(trailers:key=Ocaptain-Task,valueonly,separator=%x20)", b.Voyage.Base+"..feat/x"))
	slices.Sort(merges)
	if len(merges) != epics*parts || len(slices.Compact(slices.Clone(merges))) != epics*parts {
		t.Errorf("merged are %q", merges)
	}
	for i := range b.Tasks {
		x := &b.Tasks[i]
		if x.Parent() != "" && x.CompletedAt.After(completed[x.Parent()]) {
			t.Errorf("epic %s was done before its part %s", x.Parent(), x.ID)
		}
		for _, id := range x.BlockedBy {
			if completed[id].After(x.ClaimedAt) {
				t.Errorf("task %s was begun before %s was done", x.ID, id)
			}
		}
	}
}

// TestSessionClaude has the real Claude Code as planner and workers of a session: all of them see the whole list, and try to claim the
// epic first. The agent that is killed has lost its transcript, and goes on with a summary. An epic that is added later is done as
// well.
func TestSessionClaude(t *testing.T) {
	t.Parallel()
	api := claudetest.Start(t, loopback.Worker)
	c := newCaptain(t, claudeEnv(t, api)...)
	d := c.builds(crew{
		config: "worker: {maxTurns: 6}\n", run: "RUN", agent: " claude --dangerously-skip-permissions", forget: ".claude/projects/*/*.jsonl",
		tale: "n=$(cat ~/n || echo 0); echo $((n+1)) >~/n; test $n -gt 3 || exit 1; test $n -gt 4 || sleep 300",
	})
	told := ""
	for _, s := range api.Sessions() {
		for _, p := range s.Last.Prompts() {
			if strings.Contains(p, "whose conversation is gone") {
				told += p
			}
		}
	}
	for _, want := range []string{"It held task 1-5 (Carve a figure), which is yours now", "> tool: TaskUpdate 1-5 in_progress", "> ?? figure", "> tool: Bash test -e ~/carved"} {
		if !strings.Contains(told, want) {
			t.Errorf("the new session is not told %q:\n%s", want, told)
		}
	}
	repo := filepath.Join(c.home, "kite")
	c.ocaptain("add", "--labels", "paper", "--priority", "p0", handsIn(`{"title": "Write the log", "description": "RUN: echo log >log"}`))
	b, by := c.allDone(d, 11), ""
	for i := range b.Tasks {
		x := &b.Tasks[i]
		role, _, _ := strings.Cut(x.Owner, "-")
		by += fmt.Sprintf("%s %s %v by %s %s\n", x.ID, x.Subject, x.Labels(), role, x.Status)
		none := x.Type() == tasks.Epic || x.Empty && x.Subject == "Tell a tale" // the interrupted command may have seemed to have ended
		if none != (x.Commit == "") {
			t.Errorf("task %s has the commit %q", x.ID, x.Commit)
		}
	}
	want := `1 Build a ship… [] by coordinator completed
2 Build a ship… [paper] by coordinator completed
1-1 Lay the keel [wood] by worker completed
1-2 Build a mast [] by worker completed
1-3 Sew a sail [] by worker completed
1-4 Tell a tale [] by worker completed
1-5 Carve a figure [] by worker completed
1-6 Paint port [] by worker completed
1-7 Paint starboard [] by worker completed
1-8 Launch her [] by worker completed
2-1 Write the log [paper] by worker completed
`
	if by != want {
		t.Errorf("got\n%s", by)
	}
	for _, n := range b.Notes {
		if strings.Contains(n.Text, "by hand and restored") {
			t.Errorf("the captain is told about %s, which its agent completed: %s", n.Task, n.Text)
		}
	}
	if out := c.ocaptain("pr"); !strings.Contains(out, "Build a ship… (and 1 more)") || !strings.Contains(out, "$") {
		t.Errorf("the pull request says %q", out)
	}
	if out, code := c.try("pr", "--create"); code == 0 || !strings.Contains(out, "not on GitHub") {
		t.Errorf("a pull request of a directory: %d %s", code, out)
	}
	c.ocaptain("pr", "--push")
	if c.git(repo, "rev-parse", "feat/ship") != c.git(d.Workspace(), "rev-parse", "feat/ship") {
		t.Error("the branch is not in the repository")
	}
}
