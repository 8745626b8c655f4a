//go:build long

package run

import (
	"fmt"
	"math"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"ocaptain/fleet/agent/agentlog"

	"ocaptain/fleet/aboard/aboardtest"
	"ocaptain/fleet/aboard/shipdir"
	"ocaptain/fleet/agent/claudetest"
	"ocaptain/fleet/agent/loopback"
	"ocaptain/fleet/proto"
	"ocaptain/tasks/eventually"
)

// The real Claude Code uses several tools and a subagent, meets an API error, is killed with -9 and resumed: all that
// it did is logged once, and its usage is what the API counted.
func TestRealClaudeIsTranscribed(t *testing.T) {
	t.Parallel()
	var broken atomic.Bool
	bash := func(command string) loopback.Block {
		return loopback.Block{Tool: "Bash", Input: map[string]any{"command": command, "description": "x"}}
	}
	steps := loopback.Steps(
		loopback.Reply{Blocks: []loopback.Block{{Text: "I read."}, {Tool: "Read", Input: map[string]any{"file_path": "a.txt"}}, bash("echo one; echo two")}},
		loopback.Use("Agent", map[string]any{"description": "Look around", "prompt": "SUBAGENT, look.", "subagent_type": "general-purpose"}),
		loopback.Reply{Blocks: []loopback.Block{bash("echo oops; false")}},
		loopback.Say("That is all."),
	)
	api := claudetest.Start(t, func(r loopback.Request) loopback.Reply {
		prompts := r.Prompts()
		switch last := prompts[len(prompts)-1]; {
		case strings.Contains(prompts[0], "SUBAGENT"):
			return loopback.Steps(loopback.Reply{Blocks: []loopback.Block{bash("echo sub")}}, loopback.Say("Looked."))(r)
		case broken.Load():
			return loopback.Fail(http.StatusBadRequest, "invalid_request_error", "Your credit balance is too low")
		case r.Step() < 4:
			return steps(r)
		case strings.HasPrefix(last, "CRITICAL"):
			return loopback.Say("<summary>Much was done.</summary>")
		case strings.Contains(last, "more"):
			return loopback.Say("More is done.")
		}
		return loopback.Say("Taken up again.")
	})
	dir := aboardtest.NewShip(t, func(s *proto.Ship) {
		s.Env = map[string]string{"ANTHROPIC_BASE_URL": api.URL, "CLAUDE_CODE_MAX_RETRIES": "1", "PS1": "$ "}
	})
	work, bin := filepath.Join(dir, "voyage", "workspace"), filepath.Join(dir, ".ocaptain", "bin")
	if err := os.MkdirAll(bin, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(work, "a.txt"), []byte("text\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(claudetest.Binary(t), filepath.Join(bin, "claude")); err != nil {
		t.Fatal(err)
	}
	if err := shipdir.WriteJSON(shipdir.Dir(dir).Secrets(), map[string]string{"ANTHROPIC_API_KEY": "sk-ant-test-0123456789-abcdefghij"}); err != nil {
		t.Fatal(err)
	}
	helm := aboardtest.NewHelm(t)
	end := helm.Connect(dir)
	w := aboardtest.NewWindow(t, dir)
	w.Run()

	lines := func() string {
		var all []string
		for _, l := range aboardtest.Seen[proto.Log](helm, proto.KindLog) {
			all = append(all, fmt.Sprintf("%d %s %s", l.Turn, l.Kind, l.Text))
		}
		return strings.Join(all, "\n")
	}
	usage := func() proto.Usage {
		all := aboardtest.Seen[proto.Usage](helm, proto.KindUsage)
		if len(all) == 0 {
			return proto.Usage{}
		}
		return all[len(all)-1]
	}
	equal := func() bool {
		var served loopback.Served
		for _, s := range api.Sessions() {
			served = s.Said
		}
		var told agentlog.Tokens
		for _, m := range usage().Models {
			told = told.Add(m)
		}
		return usage().Messages == served.Answers && told == agentlog.Tokens{
			Input: int64(served.Input), Output: int64(served.Output), CacheRead: int64(served.CacheRead), CacheWrite: int64(served.CacheWrite),
		}
	}
	settled := func(what, line string) {
		t.Helper()
		eventually.Holds(t, what, func() bool { return strings.Contains(lines(), line) })
		eventually.Holds(t, "the usage after "+what, func() bool { return equal() && usage().CostUSD > 0 })
	}
	say := func(text string) {
		t.Helper()
		eventually.Holds(t, "idleness", func() bool { s := helm.States(); return strings.HasSuffix(s, "idle") || strings.HasSuffix(s, "failed") })
		var said proto.Said
		if err := helm.Conn.Call(t.Context(), proto.MethodSay, proto.Say{Text: text}, &said); err != nil || !said.Heard {
			t.Errorf("said %+v, %v", said, err)
		}
	}

	settled("the first turn", "say That is all.")
	eventually.Holds(t, "the subagent", func() bool { return strings.Contains(lines(), "say subagent: Looked.") })
	for _, want := range []string{
		"1 say I read.", "1 tool Read a.txt", "1 tool Bash echo one; echo two", "1 result one (+1 line)",
		"2 tool Agent Look around", "tool subagent: Bash echo sub", "3 tool Bash echo oops; false", "error Bash echo oops; false: Exit code 1\noops",
	} {
		if n := strings.Count(lines(), want); n != 1 {
			t.Errorf("%d times %q in\n%s", n, want, lines())
		}
	}

	broken.Store(true)
	say("try")
	settled("the error", "error Credit balance is too low")
	broken.Store(false)
	say("Do more.")
	settled("the turn after it", "say More is done.")

	// A compaction adds to the cost, but not to the tokens.
	helm.Change(func() { helm.Verdict = func() proto.Verdict { return proto.Verdict{Act: proto.ActRest} } })
	eventually.Holds(t, "rest", func() bool { return strings.HasSuffix(helm.States(), "resting") })
	paid := usage().CostUSD
	w.Must("send-keys", "-t", "claude", "-l", "/compact")
	eventually.Holds(t, "the command", func() bool { return strings.Contains(w.Screen(), "/compact") })
	w.Must("send-keys", "-t", "claude", "Enter")
	eventually.Holds(t, "the compaction", func() bool { return strings.Contains(lines(), "the session was compacted") })
	eventually.Holds(t, "its cost", func() bool { return usage().CostUSD > paid && equal() })

	// The agent is killed while helm is not connected, and continues its session.
	if err := end(); err != nil {
		t.Error(err)
	}
	before, told := usage(), lines()
	if err := w.Running().Agent.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	helm.Mu.Lock()
	helm.Events = nil
	helm.Mu.Unlock()
	helm.Connect(dir)
	settled("the resumed turn", "say Taken up again.")
	eventually.Holds(t, "the cost", func() bool { return usage().CostUSD > before.CostUSD })
	if usage().Turn <= before.Turn || !strings.HasPrefix(lines(), told) {
		t.Errorf("before %+v and\n%s\nafter %+v and\n%s", before, told, usage(), lines())
	}
	for _, once := range []string{"say I read.", "tool Read a.txt", "say subagent: Looked.", "say More is done."} {
		if n := strings.Count(lines(), once); n != 1 {
			t.Errorf("%d times %q in\n%s", n, once, lines())
		}
	}
	if screen := w.Screen(); !strings.Contains(screen, "ship-0 · voyage-1") {
		t.Errorf("the status line is not on the screen:\n%s", screen)
	}

	// The agent's own sum of its cost since the kill is equal.
	if err := w.Running().Runner.Signal(syscall.SIGTERM); err != nil {
		t.Error(err)
	}
	eventually.Holds(t, "the end", func() bool { return !w.Running().Agent.Alive() })
	saved := 0.0
	for _, path := range claudeFilesOf(t, dir) {
		saved = max(saved, agentlog.ClaudeSavedCost(path))
	}
	eventually.Holds(t, "the last cost", func() bool { return math.Abs(usage().CostUSD-before.CostUSD-saved) < 1e-9 })
}
