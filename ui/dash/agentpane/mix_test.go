package agentpane

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

// The provider of each ship is shown when the ships come from several, and there is room.
func TestMixed(t *testing.T) {
	b := aFleet()
	for i := range b.Ships {
		b.Ships[i].Provider = []string{"sprites", "hosts"}[i%2]
	}
	if s := ansi.Strip(strings.Join(shown(b).View(120, 12), "\n")); !strings.Contains(s, "sprites") || !strings.Contains(s, "hosts") {
		t.Errorf("wide:\n%s", s)
	}
	if s := ansi.Strip(strings.Join(shown(b).View(40, 12), "\n")); strings.Contains(s, "sprites") {
		t.Errorf("narrow:\n%s", s)
	}
}
