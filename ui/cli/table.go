package cli

import (
	"fmt"
	"io"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"ocaptain/fleet/clean"
	"ocaptain/theme"
	"ocaptain/ui/words"
)

// cell is a text of one line, with its style.
type cell struct {
	text  string
	style lipgloss.Style
}

// table is rows below a header. One column is shortened when the lines get too long.
type table struct {
	heads []string
	flex  int // the column that is shortened
	rows  [][]cell
}

// add appends a row of texts, which may come from outside; it cleans them.
func (t *table) add(cells ...cell) {
	for i := range cells {
		cells[i].text = clean.Line(cells[i].text)
	}
	t.rows = append(t.rows, cells)
}

// writeWarning prints a warning, whose text may come from outside.
func writeWarning(w io.Writer, text string, width int) {
	fmt.Fprintln(w, words.FitWidth(theme.Warn.Style.Render(theme.Warn.Glyph)+" "+clean.Line(text), width))
}

// write prints the table, at most width cells wide; 0 means any width.
func (t *table) write(w io.Writer, width int) {
	widths := make([]int, len(t.heads))
	for i, h := range t.heads {
		widths[i] = ansi.StringWidth(h)
	}
	for _, row := range t.rows {
		for i, c := range row {
			widths[i] = max(widths[i], ansi.StringWidth(c.text))
		}
	}
	if width > 0 {
		total := 2 * (len(widths) - 1)
		for _, n := range widths {
			total += n
		}
		if total > width {
			widths[t.flex] = max(8, widths[t.flex]-(total-width))
		}
	}
	line := func(row []cell) {
		var s strings.Builder
		for i, c := range row {
			text := ansi.Truncate(c.text, widths[i], "…")
			s.WriteString(c.style.Render(text))
			if i < len(row)-1 {
				s.WriteString(strings.Repeat(" ", widths[i]-ansi.StringWidth(text)+2))
			}
		}
		text := strings.TrimRight(s.String(), " ")
		if width > 0 {
			text = ansi.Truncate(text, width, "…")
		}
		fmt.Fprintln(w, text)
	}
	heads := make([]cell, len(t.heads))
	for i, h := range t.heads {
		heads[i] = cell{h, theme.Dim}
	}
	line(heads)
	for _, row := range t.rows {
		line(row)
	}
}
