package agent

import (
	"slices"
	"strings"
	"testing"
)

// Claude Code exports only if there is an endpoint, and exports contents only if it may.
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

// The other agents export only if there is an endpoint. None has the secret in its arguments.
func TestOthersTelemetry(t *testing.T) {
	for _, a := range []Agent{codex, gemini, opencode} {
		s := setup(t)
		text := func() string {
			c := a.Command(s)
			for k, v := range c.Env {
				c.Args = append(c.Args, k+"="+v)
			}
			return strings.ToLower(strings.Join(c.Args, " "))
		}
		if off := text(); strings.Contains(off, "otel") || strings.Contains(off, "telemetry") {
			t.Errorf("without an endpoint %s is to measure: %s", a.Name, off)
		}
		for contents, told := range map[bool][]string{
			true:  {"otel.log_user_prompt=true", "gemini_telemetry_log_prompts=true", `"opentelemetry":true`},
			false: {"otel.log_user_prompt=false", "gemini_telemetry_log_prompts=false", `"opentelemetry":true`},
		} {
			s.Telemetry = Telemetry{Endpoint: "http://127.0.0.1:9", Headers: "key=of-a-secret", Contents: contents}
			on := text()
			if !slices.ContainsFunc(told, func(w string) bool { return strings.Contains(on, w) }) {
				t.Errorf("%s gets %s", a.Name, on)
			}
			if strings.Contains(on, "of-a-secret") {
				t.Errorf("%s has a secret in its arguments: %s", a.Name, on)
			}
		}
	}
}
