package cli

import (
	"strings"
	"testing"
)

// A terminal that is dumb shows lines: how the voyage stands, and no dashboard.
func TestDumbTerminal(t *testing.T) {
	b, out := testBridge(t, 80)
	b.live, b.screen = true, false
	root := newRoot(b)
	root.SetArgs(nil)
	if err := root.ExecuteContext(t.Context()); err != nil && err.Error() != "" { // its code tells how the voyage stands
		t.Error(err)
	}
	if text := out.String(); !strings.Contains(text, "ship-1 ") || strings.Contains(text, "\x1b[?") {
		t.Errorf("it shows\n%s", text)
	}
}
