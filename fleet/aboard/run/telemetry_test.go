package run

import (
	"os"
	"strings"
	"testing"

	"ocaptain/fleet/aboard/aboardtest"
	"ocaptain/fleet/aboard/shipdir"
	"ocaptain/fleet/proto"
	"ocaptain/fleet/telemetry"
	"ocaptain/tasks/eventually"
)

// Each run has its own key for the telemetry of its agent. The key is in the agent's environment, and in no argument and no
// journal.
func TestTelemetryKey(t *testing.T) {
	dir := aboardtest.NewShip(t, func(s *proto.Ship) { s.Telemetry, s.Env = true, map[string]string{"ANTHROPIC_API_KEY": "k"} })
	aboardtest.PutClaude(t, dir, "")
	keys := map[string]bool{}
	for n := 1; n <= 2; n++ {
		w := aboardtest.NewWindow(t, dir)
		w.Run()
		eventually.Holds(t, "the agent", func() bool { return len(aboardtest.Calls(dir)) == n && w.Running().Agent.Alive() })
		call := aboardtest.Calls(dir)[n-1]
		key := ""
		for _, kv := range call.Env {
			if rest, ok := strings.CutPrefix(kv, "OTEL_EXPORTER_OTLP_HEADERS="+telemetry.KeyHeader+"="); ok {
				key = rest
			}
		}
		if len(key) < 26 || keys[key] || strings.Contains(strings.Join(call.Args, " "), key) {
			t.Fatalf("run %d has the key %q, and the arguments %q", n, key, call.Args)
		}
		keys[key] = true
		book, err := shipdir.OpenJournal(shipdir.Dir(dir)) // a hook of the agent opens the journal like this
		if err != nil {
			t.Fatal(err)
		}
		book.Log("say", "my environment has "+key, "")
		book.Close()
		if raw, err := os.ReadFile(shipdir.Dir(dir).Journal()); err != nil || strings.Contains(string(raw), key) || !strings.Contains(string(raw), "my environment has") {
			t.Errorf("the journal has the key of run %d, or %v", n, err)
		}
		if info, err := os.Stat(shipdir.Dir(dir).TelemetryKey()); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("the file of the key is %v, %v", info, err)
		}
		old := w.Running().Runner
		w.Must("kill-server")
		eventually.Holds(t, "the runner's end", func() bool { return !old.Alive() })
	}
}
