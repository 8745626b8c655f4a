package pane

import (
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"ocaptain/theme"
	"ocaptain/ui/words"
)

// Kind is the kind of a message that a pane shows instead of rows.
type Kind int

// The kinds: the pane has no rows, they are being read, a filter hides all, or they could not be read.
const (
	Empty Kind = iota
	Loading
	Filtered
	Failed
)

// Message draws, in the middle of a pane, a text in place of rows: a glyph and the first line in the style of its
// kind, the other lines, which say what to do, dimmed.
func Message(width, height int, kind Kind, lines ...string) []string {
	glyph, style := "○", theme.Dim
	switch kind {
	case Loading:
		glyph = "◌"
	case Filtered:
		glyph = "⊘"
	case Failed:
		glyph, style = "✗", theme.Bad
	}
	var text []string
	for i, l := range lines {
		look := theme.Dim
		if i == 0 {
			l, look = glyph+" "+l, style
		}
		for _, row := range words.Wrap(l, width-4) {
			text = append(text, center(look, row, width))
		}
	}
	text = text[:min(len(text), max(0, height))]
	rows := make([]string, (height-len(text))/2, max(height, 1))
	return FitRows(append(rows, text...), width, height)
}

func center(style lipgloss.Style, s string, width int) string {
	return strings.Repeat(" ", max(0, (width-ansi.StringWidth(s))/2)) + style.Render(s)
}

// Highlight gives a row the look of the selected one; focused says whether its pane is focused. The row keeps the
// colours of its text, unless the look reverses them: each colour would then become a patch of background.
func Highlight(row string, focused bool) string {
	style := theme.SelectedElse
	if focused {
		style = theme.Selected
	}
	if style.GetReverse() {
		row = ansi.Strip(row)
	}
	open, _, _ := strings.Cut(style.Render("\x00"), "\x00")
	if open == "" {
		return row
	}
	// A reset inside the row would end the highlight too.
	row = strings.ReplaceAll(row, "\x1b[m", "\x1b[m"+open)
	row = strings.ReplaceAll(row, "\x1b[0m", "\x1b[0m"+open)
	return open + row + "\x1b[m"
}

// Overlay puts the rows of a box onto the rows of a screen with the box's upper left corner at column x of row y. It
// leaves out what is outside the screen.
func Overlay(base, top []string, x, y int) {
	for i, row := range top {
		at := y + i
		if at < 0 || at >= len(base) {
			continue
		}
		under := base[at]
		w := ansi.StringWidth(row)
		base[at] = ansi.Truncate(under, x, "") + "\x1b[m" + row + "\x1b[m" + ansi.TruncateLeft(under, x+w, "")
	}
}

// Hints returns keys and their meaning, as many as fit.
func Hints(pairs [][2]string, width int) string {
	var b strings.Builder
	used := 0
	for _, p := range pairs {
		text := " " + theme.Key.Render(p[0]) + " " + theme.Dim.Render(p[1]) + " "
		w := ansi.StringWidth(text)
		if used+w > width {
			break
		}
		b.WriteString(text)
		used += w
	}
	return b.String()
}
