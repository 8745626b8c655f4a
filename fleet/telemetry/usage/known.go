package usage

import (
	"cmp"
	"math"
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// entry is the content of one log record or one span that is summed.
type entry struct {
	name   string // name of the event
	used   Totals
	model  string
	aside  bool // the request was beside the agent's work, as for a title
	broken bool // one of its numbers is impossible
}

// readRecord reads a record of a known agent; ok is false for any other record.
func readRecord(r plog.LogRecord) (is entry, ok bool) {
	attrs := r.Attributes()
	if name, ok := strings.CutPrefix(bodyOf(r), "claude_code."); ok {
		return claudeEvent(name, attrs)
	}
	switch name := text(attrs, "event.name"); {
	case strings.HasPrefix(name, "codex."):
		return codexEvent(name, attrs)
	case strings.HasPrefix(name, "gemini_cli."):
		return geminiEvent(name, attrs)
	}
	return entry{}, false
}

func bodyOf(r plog.LogRecord) string {
	if r.Body().Type() != pcommon.ValueTypeStr {
		return ""
	}
	return r.Body().Str()
}

// claudeEvent reads an event of Claude Code. Its tokens and cost are also in a metric.
func claudeEvent(name string, attrs pcommon.Map) (is entry, ok bool) {
	is = entry{name: name, model: text(attrs, "model"), aside: isAside(text(attrs, "query_source"))}
	switch name {
	case "api_request":
		is.broken = !usedBy(&is.used, attrs)
		is.used.Requests = 1
	case "api_error":
		is.used.RequestErrors = 1
	case "tool_result":
		is.used.ran(text(attrs, "success"))
	default:
		return entry{}, false
	}
	return is, true
}

// codexEvent reads an event of Codex CLI 0.169.0. One of the events of an answer has its tokens.
func codexEvent(name string, attrs pcommon.Map) (is entry, ok bool) {
	is = entry{name: name, model: text(attrs, "model")}
	switch name {
	case "codex.sse_event":
		if _, counts := attrs.Get(codexUsage.input); !counts {
			return entry{}, false
		}
		is.answered(codexUsage, attrs)
	case "codex.api_request":
		if text(attrs, "error.message") == "" && number(attrs, "http.response.status_code") < 400 {
			return entry{}, false
		}
		is.used.RequestErrors = 1
	case "codex.tool_result":
		is.used.ran(text(attrs, "success"))
	default:
		return entry{}, false
	}
	return is, true
}

// geminiEvent reads an event of Gemini CLI 0.61.0.
func geminiEvent(name string, attrs pcommon.Map) (is entry, ok bool) {
	is = entry{name: name, model: text(attrs, "model"), aside: isAside(text(attrs, "role"))}
	switch name {
	case "gemini_cli.api_response":
		is.answered(geminiUsage, attrs)
	case "gemini_cli.api_error":
		is.used.RequestErrors = 1
	case "gemini_cli.tool_call":
		is.aside = false
		is.used.ran(text(attrs, "success"))
	default:
		return entry{}, false
	}
	return is, true
}

// readSpan reads a span of OpenCode 1.18.33, which wraps each request to a model in a span of the AI SDK.
func readSpan(sp ptrace.Span) (is entry, ok bool) {
	attrs := sp.Attributes()
	is = entry{name: sp.Name(), model: text(attrs, "ai.response.model")}
	switch sp.Name() {
	case "ai.streamText.doStream", "ai.generateText.doGenerate", "ai.generateObject.doGenerate", "ai.streamObject.doStream":
		if sp.Status().Code() == ptrace.StatusCodeError {
			is.used.RequestErrors = 1
			return is, true
		}
		is.answered(aiUsage, attrs)
	case "ai.toolCall":
		is.used.Tools = 1
	default:
		return entry{}, false
	}
	return is, true
}

// usage names the attributes with the tokens of a request: the input, including tokens read from and written to the cache, and the
// output.
type usage struct {
	input, cached, written, output string
	thought                        string // in addition to the output; "" if the output includes them
	tool                           string // tokens for tools, in addition to the input
}

var (
	codexUsage  = usage{input: "input_token_count", cached: "cached_token_count", written: "cache_write_token_count", output: "output_token_count"}
	geminiUsage = usage{
		input: "input_token_count", cached: "cached_content_token_count", output: "output_token_count", thought: "thoughts_token_count", tool: "tool_token_count",
	}
	aiUsage = usage{
		input: "ai.usage.inputTokens", cached: "ai.usage.cachedInputTokens", written: "ai.usage.inputTokenDetails.cacheWriteTokens", output: "ai.usage.outputTokens",
	}
)

// answered records what a request used whose agent reports no cost. It is the only report of this agent, so it stands
// for the metric and the event.
func (is *entry) answered(u usage, attrs pcommon.Map) {
	count := func(name string) int64 {
		n, ok := units(number(attrs, name), 1)
		is.broken = is.broken || !ok
		return n
	}
	t := Tokens{CacheRead: count(u.cached), CacheCreation: count(u.written), Output: count(u.output) + count(u.thought)}
	t.Input = max(0, count(u.input)-t.CacheRead-t.CacheCreation) + count(u.tool)
	is.used = Totals{Tokens: t, RequestTokens: t, Requests: 1, Unpriced: t.All()}
}

// ran records a run of a tool.
func (t *Totals) ran(success string) {
	t.Tools = 1
	if success == "false" {
		t.ToolErrors = 1
	}
}

// usedBy reads what a request of Claude Code used, and reports whether all of it is possible.
func usedBy(t *Totals, attrs pcommon.Map) bool {
	for _, f := range []struct {
		name    string
		counter *int64
		unit    float64
	}{
		{"input_tokens", &t.RequestTokens.Input, 1},
		{"output_tokens", &t.RequestTokens.Output, 1},
		{"cache_read_tokens", &t.RequestTokens.CacheRead, 1},
		{"cache_creation_tokens", &t.RequestTokens.CacheCreation, 1},
		{"cost_usd", (*int64)(&t.RequestCost), 1e9},
	} {
		n, ok := units(number(attrs, f.name), f.unit)
		if !ok {
			return false
		}
		*f.counter = n
	}
	return true
}

// isAside reports whether a request from this source is beside the agent's work: titles and summaries count for no
// task.
func isAside(source string) bool { return source != "" && source != "main" && source != "subagent" }

// isTime reports whether a time is set and possible.
func isTime(at pcommon.Timestamp) bool { return at != 0 && at <= math.MaxInt64 }

// sessionOf returns the id of the session of a record.
func sessionOf(attrs pcommon.Map) string {
	return cmp.Or(text(attrs, "session.id"), text(attrs, "conversation.id"))
}
