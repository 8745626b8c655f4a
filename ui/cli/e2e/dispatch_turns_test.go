package e2e

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/agent/claudetest"
	"ocaptain/fleet/agent/loopback"
	"ocaptain/fleet/dispatch"
)

// chatty is a brain that writes the file X when it reads "DISPATCH X", also among other words, and chats about anything else.
// Each takes the given time.
func chatty(work, chat time.Duration) loopback.Brain {
	return func(r loopback.Request) loopback.Reply {
		told := ""
		for _, p := range r.Fresh() {
			if p.Type == "tool_result" {
				return loopback.Say("the work is done")
			}
			told += p.Text + "\n"
		}
		if i := strings.LastIndex(told, "DISPATCH "); i >= 0 {
			f := strings.Fields(told[i:])[1]
			command := fmt.Sprintf("sleep %.1f; echo x >>%s", work.Seconds(), f)
			return loopback.Use("Bash", map[string]any{"command": command, "description": "Do it"})
		}
		reply := loopback.Say("chat only")
		reply.After = chat
		return reply
	}
}

// pooled is a captain with a pool of one worker, a real Claude Code.
type pooled struct {
	*captain
	dir  fleet.Dir
	repo string
}

// newPooled has the worker do a first dispatch. From then on the repository's setup script takes setup seconds, 0 for no
// script.
func newPooled(t *testing.T, api *claudetest.API, setup int) *pooled {
	c := newCaptain(t, claudeEnv(t, api)...)
	p := &pooled{captain: c, repo: c.freshRepository("kite")}
	p.gives("DISPATCH first", "--wait")
	p.dir = c.voyages()[0]
	if setup > 0 {
		c.write("kite/scripts/dev-setup.sh", fmt.Sprintf("#!/bin/sh\nsleep %d\n", setup))
		c.git(p.repo, "add", "-A")
		c.git(p.repo, "commit", "-qm", "newer")
	}
	c.until(p.dir, "the worker waits", func(b fleet.Board) bool { return b.Ships[0].Status.Word == fleet.Idle })
	return p
}

// gives dispatches a command.
func (p *pooled) gives(command, how string) {
	p.Helper()
	p.ocaptain("dispatch", "--repo", p.repo, "--max", "1", "--command", command, how)
}

// setsUp waits until the setup script runs for a dispatch.
func (p *pooled) setsUp() {
	p.Helper()
	p.until(p.dir, "the setup script runs", func(fleet.Board) bool {
		return slices.ContainsFunc(p.logLines(p.dir, "kite-1"), func(l fleet.LogLine) bool { return l.Text == "scripts/dev-setup.sh runs" })
	})
}

// allDone waits until count dispatches are done.
func (p *pooled) allDone(count int) []dispatch.Result {
	p.Helper()
	p.until(p.dir, "all are done", func(b fleet.Board) bool { _, _, n := b.CountTasks(); return n == count })
	return p.history("kite")
}

// worked checks that each dispatch has the agent's work on it, and its own text.
func (p *pooled) worked(all []dispatch.Result) {
	p.Helper()
	for i, r := range all {
		if r.Said != "the work is done" || r.Changed != 1 || r.Added != 1 {
			p.Errorf("dispatch %d: %+v", i+1, r)
		}
	}
}
