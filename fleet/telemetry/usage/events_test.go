package usage

import (
	"testing"
	"time"

	"ocaptain/fleet/telemetry/usage/usagetest"
)

// TestKnownEvents covers events that no loopback model makes an agent send, according to the agents' source code.
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
		var sums Sums
		addLogs(&sums, ship1, usagetest.Event{Session: "a", At: 1, Attrs: tt.attrs})
		if got := sums.Total(); got != tt.want || (sums.Count().Invalid > 0) != tt.bad {
			t.Errorf("%s %v is %+v, %+v", tt.name, tt.attrs, got, sums.Count())
		}
	}
}

// unpriced returns what a request used whose agent reports no cost.
func unpriced(t Tokens) Totals {
	return Totals{Tokens: t, RequestTokens: t, Requests: 1, Unpriced: t.All()}
}

// Requests of Gemini CLI beside its work count for no task.
func TestAside(t *testing.T) {
	source := ship1
	source.Task = func(time.Time) string { return "7" }
	for role, task := range map[string]string{"main": "7", "subagent": "7", "": "7", "utility_summarizer": ""} {
		var sums Sums
		addLogs(&sums, source, usagetest.Event{At: 1, Session: "a", Attrs: map[string]any{"event.name": "gemini_cli.api_response", "input_token_count": 5, "role": role}})
		if rows := sums.Rows(); len(rows) != 1 || rows[0].Task != task {
			t.Errorf("of the role %q it counts %+v", role, rows)
		}
	}
}
