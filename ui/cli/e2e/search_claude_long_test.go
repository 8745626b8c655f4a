//go:build long

package e2e

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"ocaptain/fleet"
	"ocaptain/fleet/agent/claudetest"
	"ocaptain/fleet/agent/loopback"
)

const searches = "mcp__ChunkHound__search_semantic"

// homeIn matches the text in which Claude Code tells its model where the home of its ship is.
var homeIn = regexp.MustCompile(`(/\S+/home)/\.claude`)

// workspaceOf returns the workspace of the ship that asks.
func workspaceOf(r loopback.Request) string {
	for _, text := range append([]string{r.System}, r.Prompts()...) {
		if m := homeIn.FindStringSubmatch(text); m != nil {
			return m[1] + "/voyage/workspace"
		}
	}
	return "/none"
}

// explores is a planner that searches the code before it plans, and first reads what it finds.
func explores(r loopback.Request) loopback.Reply {
	if !strings.Contains(r.System, "you are a planner") || !r.Has(searches) {
		return loopback.Worker(r)
	}
	looked, read := "", false
	for _, call := range r.Calls() {
		switch call.Tool {
		case searches:
			looked = call.Result
		case "Read":
			read = true
		}
	}
	switch {
	case looked == "":
		return loopback.Use(searches, map[string]any{"query": "is a token too old to be used"})
	case !read && strings.Contains(looked, `"file_path":"auth/token.go"`):
		return loopback.Use("Read", map[string]any{"file_path": workspaceOf(r) + "/auth/token.go"})
	}
	return loopback.Worker(r)
}

// TestSearchClaude has the real Claude Code, as planner of a session, find code by its meaning, read it and plan. The captain sees the
// searches, the results and the opened files, and that the ships can search; with search switched off, a session has neither the tools
// nor texts about them.
func TestSearchClaude(t *testing.T) {
	t.Parallel()
	api := claudetest.Start(t, explores)
	c := newCaptain(t, claudeEnv(t, api)...)
	repo := c.freshRepository("kite")
	c.write(filepath.Join("kite", "auth", "token.go"), "package auth\n\nfunc Expired(t Token) bool { return t.Age > maxAge } // too old\n")
	c.git(repo, "add", ".")
	c.git(repo, "commit", "-qm", "tokens")
	c.ocaptain("start", "--repo", repo, "--workers", "1", "--branch", "feat/x", "--detach", "--task", handsIn(`{"title": "Renew tokens", "description": "RUN: echo renewed >renewed"}`))
	d := c.voyages()[0]
	c.allDone(d, 2)
	logs := c.ocaptain("logs")
	for _, want := range []string{"search_semantic is a token too old to be used: ", "opened, as the search found it: auth/token.go"} {
		if !strings.Contains(logs, want) {
			t.Errorf("the logs do not tell %q:\n%s", want, logs)
		}
	}
	if out := c.ocaptain("status"); !strings.Contains(out, "search  3 ships can, ") {
		t.Errorf("status says\n%s", out)
	}
	c.ocaptain("sink", "--force")

	c.write("captain.yaml", "chunkhound: {enabled: false}\n")
	c.ocaptain("start", "--repo", repo, "--config", filepath.Join(c.home, "captain.yaml"), "--workers", "1", "--branch", "feat/y", "--detach", "--task", handsIn(`{"title": "Sew", "description": "RUN: echo sail >sail"}`))
	for _, d := range c.voyages() {
		if v, err := fleet.LoadVoyage(d); err == nil && v.Branch == "feat/y" {
			c.allDone(d, 2)
		}
	}
	for _, s := range api.Sessions() {
		if has, told := s.Last.Has(searches), strings.Contains(s.Last.System, "search_semantic"); has != told {
			t.Errorf("it has the tools: %t, and is told of them: %t", has, told)
		}
	}
}
