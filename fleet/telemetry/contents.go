package telemetry

import (
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"
)

// contents are the attributes of known agents that contain prompts, answers, and inputs and outputs of tools. An entry that ends in a
// point stands for all attributes with this prefix.
var contents = []string{
	"prompt", "arguments", "output", // Codex
	"request_text", "response_text", "function_args", // Gemini CLI
	"gen_ai.system_instructions", "gen_ai.input.messages", "gen_ai.output.messages", "gen_ai.tool.definitions", // conventions of OpenTelemetry
	"gen_ai.tool.call.arguments", "gen_ai.tool.call.result", "gen_ai.prompt", "gen_ai.completion",
	"ai.prompt", "ai.prompt.", "ai.response.text", "ai.response.reasoning", "ai.response.object", "ai.response.toolCalls", // the AI SDK, used by OpenCode
	"ai.toolCall.args", "ai.toolCall.result", "ai.schema", "ai.value", "ai.values",
}

// dropContents removes contents from an export, as some agents send them whatever their settings.
func (e export) dropContents() {
	switch e.signal {
	case Logs:
		for _, rl := range e.logs.ResourceLogs().All() {
			for _, sl := range rl.ScopeLogs().All() {
				for _, r := range sl.LogRecords().All() {
					r.Attributes().RemoveIf(isContent)
					shortenBody(r.Body())
				}
			}
		}
	case Traces:
		for _, rs := range e.traces.ResourceSpans().All() {
			for _, ss := range rs.ScopeSpans().All() {
				for _, sp := range ss.Spans().All() {
					sp.Attributes().RemoveIf(isContent)
					for _, ev := range sp.Events().All() {
						ev.Attributes().RemoveIf(isContent)
					}
				}
			}
		}
	default:
	}
}

func isContent(name string, _ pcommon.Value) bool {
	for _, c := range contents {
		if name == c || strings.HasSuffix(c, ".") && strings.HasPrefix(name, c) {
			return true
		}
	}
	return false
}

// shortenBody keeps only the first value of a body that is a list of values, which is a text. In the others OpenCode
// logs commands.
func shortenBody(body pcommon.Value) {
	switch body.Type() {
	case pcommon.ValueTypeSlice:
		first := true
		body.Slice().RemoveIf(func(pcommon.Value) bool {
			was := first
			first = false
			return !was
		})
	case pcommon.ValueTypeMap:
		body.Map().Clear()
	default:
	}
}
