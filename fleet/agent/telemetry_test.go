package agent

import "testing"

// Claude Code measures where there is somebody to tell, and tells of contents only when it may.
func TestClaudeTelemetry(t *testing.T) {
	s := setup(t)
	if env := claudeCommand(s).Env; env["CLAUDE_CODE_ENABLE_TELEMETRY"] != "" || env["OTEL_EXPORTER_OTLP_ENDPOINT"] != "" {
		t.Errorf("without an endpoint it is to measure: %v", env)
	}
	for contents, told := range map[bool]string{false: "0", true: "1"} {
		s.Telemetry = Telemetry{Endpoint: "http://127.0.0.1:9", Headers: "key=k", Contents: contents}
		env := claudeCommand(s).Env
		for k, want := range map[string]string{
			"CLAUDE_CODE_ENABLE_TELEMETRY": "1", "OTEL_METRICS_EXPORTER": "otlp", "OTEL_LOGS_EXPORTER": "otlp",
			"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:9", "OTEL_EXPORTER_OTLP_HEADERS": "key=k", "OTEL_LOG_USER_PROMPTS": told, "OTEL_LOG_TOOL_DETAILS": told,
		} {
			if env[k] != want {
				t.Errorf("%s is %q, want %q", k, env[k], want)
			}
		}
	}
}
