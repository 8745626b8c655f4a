package telemetry

import (
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestKnownAgents sums what the agents themselves exported that had a model on this machine: each answer was served for 100 tokens, 10 of
// them cached, and said 20. Each ran two tools. Delivered twice it is the same, and without contents it tells none.
func TestKnownAgents(t *testing.T) {
	for _, tt := range []struct {
		agent    string
		requests int64
		models   string
	}{
		{"codex", 3, "gpt-5"},
		{"gemini", 3, "gemini-2.5-flash"},
		{"opencode", 4, "gpt-4.1 gpt-5.4-nano"}, // which asks for a title
	} {
		t.Run(tt.agent, func(t *testing.T) {
			var sums Sums
			source := ship1
			source.Task = func(time.Time) string { return "7" }
			for range 2 {
				for line, err := range readLines(filepath.Join("testdata", tt.agent+".jsonl"), 0) {
					if err != nil {
						t.Fatal(err)
					}
					e, ok, err := decodeLine(line)
					if !ok || err != nil {
						t.Fatal(err)
					}
					e.dropContents()
					if text, err := e.line(); err != nil || strings.Contains(string(text), "echo hi") || strings.Contains(string(text), "You are") {
						t.Errorf("it tells of contents: %s, %v", text, err)
					}
					source.stampExport(e)
					sums.add(e)
				}
			}
			used := Tokens{Input: 90, Output: 20, CacheRead: 10}
			var want Tokens
			for range tt.requests {
				want = Tokens{want.Input + used.Input, want.Output + used.Output, want.CacheRead + used.CacheRead, 0}
			}
			got := sums.Total()
			if got.Tokens != want || got.RequestTokens != want || got.Requests != tt.requests || got.Tools != 2 || got.Cost != 0 || got.Unpriced != want.All() {
				t.Errorf("it sums %+v", got)
			}
			if c := sums.Count(); c.Summed != tt.requests+2 || c.Again != c.Summed || c.Late != 0 || c.Invalid != 0 {
				t.Errorf("it counts %+v", c)
			}
			var models []string
			for _, r := range sums.By(func(k Key) Key { return Key{Model: k.Model, Task: k.Task} }) {
				if r.Task != "7" {
					t.Errorf("%+v counts for no task", r)
				}
				if r.Totals.Requests > 0 {
					models = append(models, r.Model)
				}
			}
			if got := strings.Join(models, " "); got != tt.models {
				t.Errorf("the models are %q", got)
			}
			minutes := int64(0)
			for _, n := range sums.ship("ship-1").minutes {
				minutes += n
			}
			if minutes != want.All() {
				t.Errorf("the minutes have %d", minutes)
			}
		})
	}
}

// TestKnownEvents is about events that no loopback model has an agent send, by the agents' own sources.
func TestKnownEvents(t *testing.T) {
	for _, tt := range []struct {
		name  string
		attrs map[string]any
		want  Totals
		bad   bool
	}{
		{"codex.sse_event", map[string]any{"event.kind": "response.created"}, Totals{}, false},
		{
			"codex.sse_event",
			map[string]any{"input_token_count": "1000", "cached_token_count": 600, "cache_write_token_count": "100", "output_token_count": "50", "reasoning_token_count": "40"},
			unpriced(Tokens{Input: 300, Output: 50, CacheRead: 600, CacheCreation: 100}), false,
		},
		{"codex.sse_event", map[string]any{"input_token_count": "-1"}, Totals{}, true},
		{"codex.sse_event", map[string]any{"input_token_count": "NaN"}, Totals{}, true},
		{"codex.sse_event", map[string]any{"input_token_count": "many"}, Totals{}, true},
		{"codex.sse_event", map[string]any{"input_token_count": 5, "cached_token_count": 7}, unpriced(Tokens{CacheRead: 7}), false},
		{"codex.api_request", map[string]any{"http.response.status_code": "200"}, Totals{}, false},
		{"codex.api_request", map[string]any{"http.response.status_code": "429"}, Totals{RequestErrors: 1}, false},
		{"codex.api_request", map[string]any{"error.message": "no route"}, Totals{RequestErrors: 1}, false},
		{"codex.tool_result", map[string]any{"success": "false"}, Totals{Tools: 1, ToolErrors: 1}, false},
		{"codex.user_prompt", map[string]any{"input_token_count": 5}, Totals{}, false},
		{
			"gemini_cli.api_response",
			map[string]any{"input_token_count": 1000, "cached_content_token_count": 600, "output_token_count": 50, "thoughts_token_count": 40, "tool_token_count": 7},
			unpriced(Tokens{Input: 407, Output: 90, CacheRead: 600}), false,
		},
		{"gemini_cli.api_response", map[string]any{"output_token_count": 1e300}, Totals{}, true},
		{"gemini_cli.api_error", map[string]any{"model": "m"}, Totals{RequestErrors: 1}, false},
		{"gemini_cli.tool_call", map[string]any{"success": false}, Totals{Tools: 1, ToolErrors: 1}, false},
	} {
		tt.attrs["event.name"] = tt.name
		e := logsOf(ship1, event{"", 1, "a", tt.attrs})
		var sums Sums
		sums.add(e)
		if got := sums.Total(); got != tt.want || (sums.Count().Invalid > 0) != tt.bad {
			t.Errorf("%s %v is %+v, %+v", tt.name, tt.attrs, got, sums.Count())
		}
	}
}

// unpriced is what a request used whose agent tells no cost.
func unpriced(t Tokens) Totals {
	return Totals{Tokens: t, RequestTokens: t, Requests: 1, Unpriced: t.All()}
}

// Requests beside the work of Gemini CLI count for no task.
func TestAside(t *testing.T) {
	source := ship1
	source.Task = func(time.Time) string { return "7" }
	for role, task := range map[string]string{"main": "7", "subagent": "7", "": "7", "utility_summarizer": ""} {
		var sums Sums
		sums.add(logsOf(source, event{"", 1, "a", map[string]any{"event.name": "gemini_cli.api_response", "input_token_count": 5, "role": role}}))
		if rows := sums.Rows(); len(rows) != 1 || rows[0].Task != task {
			t.Errorf("of the role %q it counts %+v", role, rows)
		}
	}
}
