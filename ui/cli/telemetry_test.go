package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ocaptain/fleet"
)

// The status counts, for each voyage whose telemetry is forwarded, what the collector did not get.
func TestTelemetryStatusOfForward(t *testing.T) {
	b, out := testBridge(t, 0)
	b.hub.Voyages = t.TempDir()
	for id, v := range map[string]fleet.Voyage{
		"voyage-000000000001": {Telemetry: fleet.Telemetry{Forward: "http://127.0.0.1:4318"}},
		"voyage-000000000002": {Telemetry: fleet.Telemetry{Forward: "http://127.0.0.1:9"}},
		"voyage-000000000003": {},
		"voyage-000000000004": {Telemetry: fleet.Telemetry{Forward: "http://127.0.0.1:4318", Off: true}},
	} {
		d := fleet.Dir(filepath.Join(b.hub.Voyages, id))
		if err := os.MkdirAll(d.Telemetry(), 0o700); err != nil {
			t.Fatal(err)
		}
		if v.ID = id; v.Save(d) != nil {
			t.Fatal("a voyage cannot be saved")
		}
	}
	file := filepath.Join(fleet.Dir(filepath.Join(b.hub.Voyages, "voyage-000000000001")).Telemetry(), "forward.json")
	if err := os.WriteFile(file, []byte(`{"places":[{"file":1,"offset":5},{"file":1,"offset":5},{"file":1,"offset":5}],"dropped":3,"refused":2,"told":true}`), 0o600); err != nil {
		t.Fatal(err)
	}
	run := func(args ...string) string {
		t.Helper()
		out.Reset()
		root := newRoot(b)
		root.SetArgs(append([]string{"telemetry", "status"}, args...))
		if err := root.ExecuteContext(t.Context()); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	said := run()
	for _, want := range []string{
		"voyage voyage-000000000001 is sent on to http://127.0.0.1:4318: 3 exports dropped before they were sent, 2 refused there\n",
		"voyage voyage-000000000002 is sent on to http://127.0.0.1:9: 0 exports dropped before they were sent, 0 refused there\n",
	} {
		if !strings.Contains(said, want) || strings.Count(said, "is sent on") != 2 {
			t.Errorf("it says\n%s", said)
		}
	}
	var st telemetryStatus
	if err := json.Unmarshal([]byte(run("--json")), &st); err != nil || len(st.Forward) != 2 || st.Forward[0].Dropped != 3 || st.Forward[0].Refused != 2 || st.Forward[1].Dropped != 0 {
		t.Errorf("as JSON: %+v, %v", st.Forward, err)
	}
}
