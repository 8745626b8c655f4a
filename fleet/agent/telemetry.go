package agent

import (
	"fmt"
	"maps"
	"strconv"
)

// Telemetry is where an agent exports what it measures of itself.
type Telemetry struct {
	Endpoint string // of OTLP over HTTP, "" for none
	Headers  string // that each export must have, as OTEL_EXPORTER_OTLP_HEADERS has them; secret
	Contents bool   // it may tell of prompts and of tools
}

// Env has what every program with an SDK of OpenTelemetry reads. Data goes out every second, so that it is soon seen, and is of the task at
// which the agent is.
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

// claudeTelemetry has Claude Code measure. Variables of the captain's own shell do not have it tell more than he configured.
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

// codexTelemetry are arguments by which Codex exports its log, and its metrics nowhere: they have nothing that its log does not tell sooner.
// It takes headers from the environment.
func codexTelemetry(t Telemetry) []string {
	if t.Endpoint == "" {
		return nil
	}
	return []string{
		"-c", fmt.Sprintf(`otel.exporter={otlp-http={endpoint=%q,protocol="binary"}}`, t.Endpoint+"/v1/logs"),
		"-c", `otel.metrics_exporter="none"`, "-c", fmt.Sprintf("otel.log_user_prompt=%t", t.Contents),
	}
}

// geminiTelemetry has Gemini CLI measure.
func geminiTelemetry(t Telemetry) map[string]string {
	if t.Endpoint == "" {
		return nil
	}
	return map[string]string{
		"GEMINI_TELEMETRY_ENABLED": "true", "GEMINI_TELEMETRY_TARGET": "local", "GEMINI_TELEMETRY_OTLP_ENDPOINT": t.Endpoint,
		"GEMINI_TELEMETRY_OTLP_PROTOCOL": "http", "GEMINI_TELEMETRY_LOG_PROMPTS": strconv.FormatBool(t.Contents),
	}
}
