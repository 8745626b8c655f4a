package cli

import (
	"strings"
	"testing"
)

// On a dumb terminal, ocaptain prints the status in lines and opens no dashboard.
func TestDumbTerminal(t *testing.T) {
	b, out := testBridge(t, 80)
	b.live, b.screen = true, false
	root := newRoot(b)
	root.SetArgs(nil)
	if err := root.ExecuteContext(t.Context()); err != nil && err.Error() != "" { // its exit code says how the voyage stands
		t.Error(err)
	}
	if text := out.String(); !strings.Contains(text, "ship-1 ") || strings.Contains(text, "\x1b[?") {
		t.Errorf("it shows\n%s", text)
	}
}
