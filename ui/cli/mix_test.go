package cli

import (
	"bytes"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

// The status shows the provider of each ship when the ships come from several.
func TestStatusOfMixed(t *testing.T) {
	for _, width := range []int{60, 80, 120} {
		b, _ := testBridge(t, width)
		_, board := loadTest(t, b)
		var plain, mixed bytes.Buffer
		writeStatus(&plain, asView(b, board), b.now(), width)
		board.Ships[1].Provider = "sprites\x1b[2J"
		writeStatus(&mixed, asView(b, board), b.now(), width)
		checkLines(t, mixed.String(), width)
		if got := ansi.Strip(mixed.String()); !strings.Contains(got, "FROM") || !strings.Contains(got, "sprites") {
			t.Errorf("at %d columns:\n%s", width, got)
		}
		if strings.Contains(plain.String(), "FROM") {
			t.Error("ships of one provider are told apart by it")
		}
	}
}
