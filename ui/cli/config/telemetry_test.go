package config

import "testing"

// TestTelemetry switches telemetry in each way.
func TestTelemetry(t *testing.T) {
	for _, tt := range []struct {
		file, env     string
		send, content bool
	}{
		{"", "", true, false},
		{"telemetry: off\n", "", false, false},
		{"telemetry: false\n", "", false, false},
		{"telemetry: {send: off}\n", "", false, false},
		{"telemetry: {content: true, keep: 64MB}\n", "", true, true},
		{"telemetry: off\n", "1", true, false},
		{"", "0", false, false},
		{"", "off", false, false},
	} {
		var environ []string
		if tt.env != "" {
			environ = []string{"OCAPTAIN_TELEMETRY=" + tt.env}
		}
		c, err := Load(Sources{Dir: write(t, map[string]string{"config.yaml": tt.file}), Environ: environ})
		if err != nil || c.Telemetry.Send != tt.send || c.Telemetry.Content != tt.content {
			t.Errorf("%q with %q: %+v, %v", tt.file, tt.env, c.Telemetry, err)
		}
	}
	for _, file := range []string{"telemetry: maybe\n", "telemetry:\n", "telemetry: [off]\n", "telemetry: {content: 2}\n"} {
		if _, err := Load(Sources{Dir: write(t, map[string]string{"config.yaml": file})}); err == nil {
			t.Errorf("%q is taken", file)
		}
	}
}
