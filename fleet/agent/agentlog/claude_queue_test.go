package agentlog

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestClaudeQueue reads lines as Claude Code 2.1.329 writes them.
func TestClaudeQueue(t *testing.T) {
	t.Parallel()
	at := `,"timestamp":"2026-11-26T08:46:51.616Z"}`
	line := map[string]string{
		"old":     `{"type":"queue-operation","operation":"enqueue","content":"old","timestamp":"2026-11-26T08:40:00Z"}`,
		"+one":    `{"type":"queue-operation","operation":"enqueue","content":"one"` + at,
		"+two":    `{"type":"queue-operation","operation":"enqueue","content":"two"` + at,
		"dequeue": `{"type":"queue-operation","operation":"dequeue"` + at,
		"-two":    `{"type":"queue-operation","operation":"remove","content":"two"` + at,
		"done":    `{"type":"assistant","message":{"content":[{"type":"text","text":"It is done."}]}` + at,
		"tool":    `{"type":"assistant","message":{"content":[{"type":"tool_use","name":"Bash"}]}` + at,
		"told":    `{"type":"user","message":{"content":"one"}` + at,
		"cut":     `{"type":"assis`,
	}
	for _, c := range []struct {
		lines  string
		queued []string
		whole  bool
	}{
		{"", nil, false},
		{"old done", nil, true},
		{"+one done", []string{"one"}, true},
		{"+one +two dequeue told done", []string{"two"}, true},
		{"+one +two -two tool", []string{"one"}, false},
		{"dequeue -two done cut", nil, true},
		{"done +two tool", []string{"two"}, false},
	} {
		text := ""
		for _, l := range strings.Fields(c.lines) {
			text += line[l] + "\n"
		}
		path := filepath.Join(t.TempDir(), "session.jsonl")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		queued, whole := claudeQueue(path, "It is done.\n", time.Date(2026, 11, 26, 8, 45, 0, 0, time.UTC))
		if !slices.Equal(queued, c.queued) || whole != c.whole {
			t.Errorf("%s: %q, %t", c.lines, queued, whole)
		}
	}
}
