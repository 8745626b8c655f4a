package agent

import (
	"fmt"
	"maps"
	"strconv"
)

// Telemetry says where an agent exports its measurements.
type Telemetry struct {
	Endpoint string // URL of OTLP over HTTP, "" for none
	Headers  string // the headers of each export, in the form of OTEL_EXPORTER_OTLP_HEADERS; secret
	Contents bool   // export the content of prompts and tool calls
}

// Env returns the variables that every OpenTelemetry SDK reads. Data is exported every second, so that it arrives soon and can be assigned
// to the task that the agent is working on.
func (t Telemetry) Env() map[string]string {
	if t.Endpoint == "" {
		return nil
	}
	return map[string]string{
		"OTEL_METRICS_EXPORTER": "otlp", "OTEL_LOGS_EXPORTER": "otlp",
		"OTEL_EXPORTER_OTLP_PROTOCOL": "http/protobuf", "OTEL_EXPORTER_OTLP_ENDPOINT": t.Endpoint, "OTEL_EXPORTER_OTLP_HEADERS": t.Headers,
		"OTEL_METRIC_EXPORT_INTERVAL": "1000", "OTEL_LOGS_EXPORT_INTERVAL": "1000",
		"OTEL_BLRP_SCHEDULE_DELAY": "1000", "OTEL_BSP_SCHEDULE_DELAY": "1000",
	}
}

// claudeTelemetry returns the variables that make Claude Code export. Variables in the captain's own shell cannot make it
// export more than he configured.
func claudeTelemetry(t Telemetry) map[string]string {
	env := t.Env()
	if env == nil {
		return nil
	}
	told := "0"
	if t.Contents {
		told = "1"
	}
	maps.Copy(env, map[string]string{
		"CLAUDE_CODE_ENABLE_TELEMETRY": "1", "OTEL_LOG_USER_PROMPTS": told, "OTEL_LOG_TOOL_DETAILS": told,
	})
	return env
}

// codexTelemetry returns the arguments that make Codex export its log. Its metrics are off, since the log has the same data sooner. Codex
// takes the headers from its environment.
func codexTelemetry(t Telemetry) []string {
	if t.Endpoint == "" {
		return nil
	}
	return []string{
		"-c", fmt.Sprintf(`otel.exporter={otlp-http={endpoint=%q,protocol="binary"}}`, t.Endpoint+"/v1/logs"),
		"-c", `otel.metrics_exporter="none"`, "-c", fmt.Sprintf("otel.log_user_prompt=%t", t.Contents),
	}
}

// geminiTelemetry returns the variables that make Gemini CLI export.
func geminiTelemetry(t Telemetry) map[string]string {
	if t.Endpoint == "" {
		return nil
	}
	return map[string]string{
		"GEMINI_TELEMETRY_ENABLED": "true", "GEMINI_TELEMETRY_TARGET": "local", "GEMINI_TELEMETRY_OTLP_ENDPOINT": t.Endpoint,
		"GEMINI_TELEMETRY_OTLP_PROTOCOL": "http", "GEMINI_TELEMETRY_LOG_PROMPTS": strconv.FormatBool(t.Contents),
	}
}
