package logpane

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"ocaptain/fleet/clean"
)

// FuzzBreaks: the rows of a broken text join to the text, none is too wide, and no character is split.
func FuzzBreaks(f *testing.F) {
	f.Add("the quick brown fox jumps over the lazy dog", 10, 3)
	f.Add("日本語のコメント and some \u00e9e\u0301 \U0001F468\u200d\U0001F469", 4, 1)
	f.Add(strings.Repeat(" ", 30), 7, 0)
	f.Add("", 1, 0)
	f.Fuzz(func(t *testing.T, text string, width, side int) {
		text = clean.Line(text)
		width, side = 2+(width&0xff), side&0xff
		from := 0
		for _, end := range breaks(text, 0, width) {
			row := text[from:end]
			if w := ansi.StringWidth(strings.TrimRight(row, " ")); w > width {
				t.Fatalf("%q is %d cells wide, not %d", row, w, width)
			}
			if !utf8.ValidString(row) || end < from || end == from && text != "" {
				t.Fatalf("a row of %q ends at %d after %d", text, end, from)
			}
			from = end
		}
		if from != len(text) {
			t.Fatalf("%q ends at %d", text, from)
		}
		if begin, end := window(text, 0, side, width); begin > end || end > len(text) || !utf8.ValidString(text[begin:end]) {
			t.Fatalf("%q: window from %d to %d", text, begin, end)
		}
	})
}
