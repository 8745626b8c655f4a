package cli

import (
	"context"
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"ocaptain/fleet"
	"ocaptain/ui/logs"
)

func TestLogsView(t *testing.T) {
	for _, tt := range []struct {
		name  string
		query logs.Query
		grep  string
		last  int
	}{
		{"all", logs.Query{}, "", -1},
		{"last", logs.Query{}, "", 2},
		{"none", logs.Query{}, "", 0},
		{"ship", logs.Query{Ships: []string{"ship-1"}}, "", -1},
		{"role", logs.Query{Role: "validator"}, "", -1},
		{"grep", logs.Query{}, `error|Turn 8`, -1},
		{"grep-last", logs.Query{}, `ship-0`, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b, out := testBridge(t, 0)
			d, _ := loadTest(t, b)
			if err := b.readLogs(context.Background(), d, tt.query, regexp.MustCompile(tt.grep), tt.last, false, false); err != nil {
				t.Fatal(err)
			}
			checkLines(t, out.String(), 200)
			golden(t, "logs-"+tt.name+".txt", out.String())
		})
	}
}

func TestLogsJSON(t *testing.T) {
	b, out := testBridge(t, 0)
	d, _ := loadTest(t, b)
	if err := b.readLogs(context.Background(), d, logs.Query{Mute: true}, nil, -1, false, true); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != 9 {
		t.Errorf("%d lines", len(lines))
	}
	for _, l := range lines {
		var line fleet.LogLine
		if err := json.Unmarshal([]byte(l), &line); err != nil || line.Ship == "" {
			t.Errorf("%s: %v", l, err)
		}
	}
	checkLines(t, out.String(), 1000)
}

func TestHighlight(t *testing.T) {
	l, ok := logs.Parse([]byte(`{"t":"2026-03-01T11:12:20Z","ship":"ship-0","text":"an error, another error"}`))
	if !ok {
		t.Fatal("not a line")
	}
	styled := paintLog(l, regexp.MustCompile("error"))
	if n := strings.Count(styled, "\x1b[7m"); n != 2 {
		t.Errorf("%d hits are marked in %q", n, styled)
	}
	if got := ansi.Strip(styled); !strings.HasSuffix(got, "[ship-0] an error, another error") {
		t.Errorf("got %q", got)
	}
}

// A line in colour has the same text as without.
func FuzzPaintLog(f *testing.F) {
	f.Add([]byte(`{"t":"2026-03-01T11:12:20Z","ship":"ship-0","role":"worker","kind":"say","turn":3,"text":"hello\nthere"}`), "e")
	f.Add([]byte(`{"t":"2026-03-01T11:12:20Z","ship":"\u001b[2J","kind":"error","text":"\u009b31m"}`), "")
	f.Fuzz(func(t *testing.T, data []byte, pattern string) {
		grep, err := regexp.Compile(pattern)
		if err != nil {
			grep = nil
		}
		l, ok := logs.Parse(data)
		if !ok {
			return
		}
		shown := l.String()
		if again := ansi.Strip(paintLog(l, grep)); strings.ReplaceAll(again, "\t", "    ") != strings.ReplaceAll(shown, "\t", "    ") {
			t.Fatalf("in colour %q, else %q", again, shown)
		}
	})
}
