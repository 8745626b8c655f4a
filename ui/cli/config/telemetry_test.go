package config

import (
	"strings"
	"testing"
)

// TestTelemetry switches telemetry on and off in each way.
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
		{"telemetry: {forward: \"http://127.0.0.1:4318\"}\n", "", true, false},
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

// TestForward refuses endpoints that cannot receive telemetry, and shows no password.
func TestForward(t *testing.T) {
	for value, want := range map[string]string{
		"https://collector.example/otlp": "", "http://127.0.0.1:4318": "", "\"http://[::1]:4318/\"": "",
		"collector:4318":                   "must be a URL like https://collector.example:4318",
		"grpc://collector:4317":            "must be a URL like",
		"http://ada:of-a-secret@collector": "must not hold a name or a password: take them out",
		"http://collector?key=of-a-secret": "must have no query",
		"[http://collector]":               "telemetry.forward is a list",
		"\"\"":                             "must be a URL like",
	} {
		c, err := Load(Sources{Dir: write(t, map[string]string{"config.yaml": "telemetry: {forward: " + value + "}\n"})})
		switch {
		case want == "" && (err != nil || c.Telemetry.Forward != strings.Trim(value, "\"")):
			t.Errorf("%s: %q, %v", value, c.Telemetry.Forward, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "telemetry.forward") || strings.Contains(err.Error(), "of-a-secret")):
			t.Errorf("%s: %v", value, err)
		}
	}
}
