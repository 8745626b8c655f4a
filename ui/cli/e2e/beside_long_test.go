//go:build long

package e2e

import (
	"strings"
	"testing"

	"ocaptain/fleet/agent/claudetest"
	"ocaptain/fleet/agent/loopback"
)

// Commands of tasks for which besideTree does something else first.
const (
	inWorktree = "cp README worktree"
	inSubagent = "until ls .claude/worktrees/*/subagent; do sleep 0.1; done" // the subagent works in the background
	mergeAll   = "cd ~/voyage/workspace; for w in .claude/worktrees/*; do git -C $w add -A; git -C $w commit -qm work; git merge -q $(git -C $w branch --show-current); git worktree remove --force $w; done"
)

// besideTree is a brain that works outside the working tree when a command says so: in a worktree that Claude Code enters, or in
// the worktree of a subagent.
func besideTree(r loopback.Request) loopback.Reply {
	const errand = "Write the file subagent."
	if strings.Contains(strings.Join(r.Prompts(), "\n"), errand) && !r.Has("TaskUpdate") {
		if len(r.Calls()) > 0 {
			return loopback.Say("The file is written.")
		}
		return loopback.Use("Bash", map[string]any{"command": "echo subagent >subagent", "description": "Write it"})
	}
	reply := loopback.Worker(r)
	if len(reply.Blocks) != 1 || reply.Blocks[0].Tool != "Bash" {
		return reply
	}
	called := func(tool string) bool {
		for _, c := range r.Calls() {
			if c.Tool == tool {
				return true
			}
		}
		return false
	}
	switch command, _ := reply.Blocks[0].Input["command"].(string); {
	case command == inWorktree && !called("EnterWorktree"):
		return loopback.Use("EnterWorktree", map[string]any{"name": "inside"})
	case command == inSubagent && !called("Agent"):
		return loopback.Use("Agent", map[string]any{
			"description": "Write a file", "prompt": errand, "subagent_type": "general-purpose", "isolation": "worktree", "run_in_background": false,
		})
	case command == mergeAll && called("EnterWorktree") && !called("ExitWorktree"): // until it exits, Claude Code runs nothing outside the worktree
		return loopback.Use("ExitWorktree", map[string]any{"action": "keep"})
	}
	return reply
}

// TestWorkBeside has the real Claude Code do whole tasks in a worktree that it enters, in the worktree of a subagent, on another branch
// and in the stash. Helm refuses each completion and says what to do, and then nothing of the work is lost.
func TestWorkBeside(t *testing.T) {
	t.Parallel()
	api := claudetest.Start(t, besideTree)
	c := newCaptain(t, claudeEnv(t, api)...)
	c.write(".config/ocaptain/config.yaml", "agents: {claude: {tools: {allow: [EnterWorktree, ExitWorktree]}}}\n")
	jobs := []job{
		{id: "1", subject: "On a branch", run: "git checkout -q -b aside; echo branch >branch; git add branch; git commit -qm work; git checkout -q -\nRESOLVE: git merge -q aside"},
		{id: "2", subject: "In the stash", run: "echo stash >stash; git add stash; git stash -q\nRESOLVE: git stash pop -q", after: []string{"1"}},
		{id: "3", subject: "In a worktree", run: inWorktree + "\nRESOLVE: " + mergeAll, after: []string{"2"}},
		{id: "4", subject: "In a subagent's", run: inSubagent + "\nRESOLVE: " + mergeAll, after: []string{"3"}},
	}
	plan := c.realPlan(t, jobs, "#!/bin/bash\nset -eu\ncd ~/voyage/workspace\ncat branch stash worktree subagent\n")
	d := c.sail(plan, "-n", "1", "--agent", "claude")
	c.complete(d)
	told := map[string]bool{}
	for _, e := range api.Log() {
		for _, p := range e.Fresh {
			if p.Type == "tool_result" && p.Tool == "TaskUpdate" && strings.Contains(p.Text, "what you did beside your tree would not come along") {
				told[p.Text] = true
			}
		}
	}
	if len(told) != len(jobs) {
		t.Errorf("%d of %d completions were refused: %v", len(told), len(jobs), told)
	}
	for name, want := range map[string]string{"branch": "branch", "stash": "stash", "worktree": "begin", "subagent": "subagent"} {
		if is := c.git(d.Workspace(), "show", "HEAD:"+name); is != want {
			t.Errorf("%s is %q", name, is)
		}
	}
}
