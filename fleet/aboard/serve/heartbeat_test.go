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
