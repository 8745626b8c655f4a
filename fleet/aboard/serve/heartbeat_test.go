package serve

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestQuiet checks that a pane counts as quiet only if nothing can have been printed since the look, although the
// clock advances in steps of eight seconds.
func TestQuiet(t *testing.T) {
	tty := filepath.Join(t.TempDir(), "tty")
	if err := os.WriteFile(tty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	printed := time.Unix(8_000_001, 0)
	if err := os.Chtimes(tty, printed, printed); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(tty)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		look
		quiet bool
	}{
		"never looked":                  {look{}, false},
		"looked in the same eight":      {look{"%0", tty, time.Unix(8_000_007, 0), info.ModTime()}, false},
		"looked after that":             {look{"%0", tty, time.Unix(8_000_008, 0), info.ModTime()}, true},
		"printed since":                 {look{"%0", tty, time.Unix(8_000_020, 0), time.Unix(7_999_000, 0)}, false},
		"the terminal of an older pane": {look{"%1", tty, time.Unix(8_000_020, 0), info.ModTime()}, false},
		"the terminal is gone":          {look{"%0", tty + "-gone", time.Unix(8_000_020, 0), info.ModTime()}, false},
	} {
		if is := c.isQuiet("%0"); is != c.quiet {
			t.Errorf("%s: quiet is %v", name, is)
		}
	}
}

func TestUntilHeartbeat(t *testing.T) {
	second := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, tt := range []struct{ after, want time.Duration }{
		{0, 5 * time.Second},
		{1, 5*time.Second - 1},
		{300 * time.Millisecond, 4700 * time.Millisecond},
		{time.Second - 1, 4*time.Second + 1},
		{time.Second, 5 * time.Second},
	} {
		if got := untilHeartbeat(second.Add(tt.after)); got != tt.want {
			t.Errorf("%v into a second: %v until the heartbeat, want %v", tt.after, got, tt.want)
		}
	}
}
