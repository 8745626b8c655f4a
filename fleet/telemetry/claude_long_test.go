//go:build long

package telemetry

import (
	"os/exec"
	"strings"
	"testing"
	"time"

	"ocaptain/fleet/telemetry/usage"

	"ocaptain/fleet/agent/claudetest"
	"ocaptain/fleet/agent/loopback"
)

// TestClaude lets the real Claude Code export in each encoding. Its metrics equal what its service served, and its log says the
// same.
func TestClaude(t *testing.T) {
	for _, protocol := range []string{"http/json", "http/protobuf", "grpc"} {
		t.Run(protocol, func(t *testing.T) {
			t.Parallel()
			dir, home := t.TempDir(), t.TempDir()
			store := openStore(t, dir)
			source := ship1
			source.Task = func(time.Time) string { return "7" }
			url := serve(t, NewReceiver(store, source))
			api := claudetest.Start(t, loopback.Steps(
				loopback.Use("Bash", map[string]any{"command": "exit 3", "description": "Fail"}),
				loopback.Use("Bash", map[string]any{"command": "echo well", "description": "Succeed"}),
				loopback.Say("That is all.")))
			cmd := exec.CommandContext(t.Context(), claudetest.Binary(t), "-p", "--dangerously-skip-permissions", "Try two things.")
			cmd.Dir = t.TempDir()
			cmd.Env = claudetest.Env(home, api, "sk-ant-test-0123456789-abcdefghij", "CLAUDE_CODE_ENABLE_TELEMETRY=1",
				"OTEL_METRICS_EXPORTER=otlp", "OTEL_LOGS_EXPORTER=otlp", "OTEL_EXPORTER_OTLP_PROTOCOL="+protocol, "OTEL_EXPORTER_OTLP_ENDPOINT="+url,
				"OTEL_METRIC_EXPORT_INTERVAL=500", "OTEL_LOGS_EXPORT_INTERVAL=200", "OTEL_RESOURCE_ATTRIBUTES=ship=forged,ocaptain.ship=forged",
				"OTEL_EXPORTER_OTLP_COMPRESSION=gzip")
			if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "That is all.") {
				t.Fatalf("claude: %v\n%s", err, out)
			}
			var want usage.Tokens
			for _, s := range api.Sessions() {
				want.Input += int64(s.Input)
				want.Output += int64(s.Output)
				want.CacheRead += int64(s.Said.CacheRead)
				want.CacheCreation += int64(s.Said.CacheWrite)
			}
			store.View(func(s *usage.Sums) {
				got := s.Total()
				if got.Tokens != want || got.RequestTokens != want || got.Cost != got.RequestCost || got.Cost == 0 {
					t.Errorf("tokens %+v for %d, and by requests %+v for %d; the service served %+v", got.Tokens, got.Cost, got.RequestTokens, got.RequestCost, want)
				}
				if got.Tools != 2 || got.ToolErrors != 1 || got.Requests != int64(len(api.Log())) || got.Sessions != 1 || got.Active == 0 {
					t.Errorf("got %+v for %d requests", got, len(api.Log()))
				}
			})
			store.View(func(s *usage.Sums) {
				for _, row := range s.Rows() {
					if row.Task != "7" && row.Totals.Tokens.All() > 0 {
						t.Errorf("the agent's own work counts for no task: %+v", row)
					}
				}
			})
			for line, err := range readLines(lines(dir, 1), 0) {
				if err != nil || strings.Contains(string(line), "forged") {
					t.Errorf("stored %s, %v", line, err)
				}
			}
		})
	}
}
