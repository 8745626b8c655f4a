package telemetry

import (
	"strings"
	"testing"
)

// Only contents are removed, in all places where they may be.
func TestDropContents(t *testing.T) {
	for _, line := range []string{
		`{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"body":{"stringValue":"kept"},"attributes":[{"key":"arguments","value":{"stringValue":"told"}},{"key":"gen_ai.input.messages","value":{"stringValue":"told"}}]}]}]}]}`,
		`{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"body":{"arrayValue":{"values":[{"stringValue":"kept"},{"stringValue":"told"},{"stringValue":"told"}]}}}]}]}]}`,
		`{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"body":{"kvlistValue":{"values":[{"key":"a","value":{"stringValue":"told"}}]}},"attributes":[{"key":"prompt_length","value":{"stringValue":"kept"}}]}]}]}]}`,
		`{"resourceSpans":[{"scopeSpans":[{"spans":[{"name":"kept","attributes":[{"key":"ai.prompt.anything","value":{"stringValue":"told"}},{"key":"ai.prompt","value":{"stringValue":"told"}}],
"events":[{"attributes":[{"key":"gen_ai.completion","value":{"stringValue":"told"}}]}]}]}]}]}`,
	} {
		e, ok, err := decodeLine([]byte(line))
		if !ok || err != nil {
			t.Fatal(err)
		}
		e.dropContents()
		if got, err := e.line(); err != nil || strings.Contains(string(got), "told") || !strings.Contains(string(got), "kept") {
			t.Errorf("left is %s, %v", got, err)
		}
	}
}
