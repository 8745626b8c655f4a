// Package pane holds the parts of the dashboard's panes: rows of an exact width, boxes around them, and windows onto
// long lists.
package pane

import (
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"ocaptain/theme"
)

// Fit returns s in exactly width cells: cut off with an ellipsis, or filled with spaces. s is one line of clean text,
// which may be styled.
func Fit(s string, width int) string {
	if width <= 0 {
		return ""
	}
	w := Width(s)
	if w > width {
		s = ansi.Truncate(s, width, "…")
		w = Width(s)
	}
	return s + strings.Repeat(" ", width-w)
}

// FitRows returns exactly height rows of exactly width cells.
func FitRows(rows []string, width, height int) []string {
	out := make([]string, max(0, height))
	for i := range out {
		if i < len(rows) {
			out[i] = Fit(rows[i], width)
		} else {
			out[i] = strings.Repeat(" ", max(0, width))
		}
	}
	return out
}

// Box draws a border around a body. The body has the size of InnerSize; missing rows are left empty. Title is on the
// left of the upper edge, Info on its right as far as there is room.
type Box struct {
	Title, Info string
	Foot        string // on the right of the lower edge
	Focused     bool
}

// InnerSize returns the size of a box's body.
func InnerSize(width, height int) (int, int) { return max(0, width-2), max(0, height-2) }

// Draw returns the box as exactly height rows of exactly width cells.
func (b Box) Draw(body []string, width, height int) []string {
	if width < 2 || height < 2 {
		return FitRows(nil, width, height)
	}
	edge, f := theme.Border, light
	if b.Focused {
		edge = theme.BorderFocused
		if theme.HeavyFocus {
			f = heavy
		}
	}
	w, h := InnerSize(width, height)
	out := make([]string, 0, height)
	out = append(out, b.drawEdge(edge, f.flat, f.corners[0], f.corners[1], b.Title, b.Info, w))
	side := edge.Render(f.side)
	for _, row := range FitRows(body, w, h) {
		out = append(out, side+row+side)
	}
	return append(out, b.drawEdge(edge, f.flat, f.corners[2], f.corners[3], "", b.Foot, w))
}

// frame holds the characters of a frame.
type frame struct {
	corners    [4]string
	flat, side string
}

var (
	light = frame{[4]string{"╭", "╮", "╰", "╯"}, "─", "│"}
	heavy = frame{[4]string{"┏", "┓", "┗", "┛"}, "━", "┃"}
)

// drawEdge draws the upper or the lower edge with its texts.
func (b Box) drawEdge(line lipgloss.Style, flat, left, right, title, info string, w int) string {
	var head, tail string
	room := w - 2
	if title != "" && room > 2 {
		title = ansi.Truncate(title, room-2, "…")
		style := theme.PaneTitle
		if b.Focused {
			style = theme.PaneTitleFocused
		}
		head = " " + style.Render(title) + " "
		room -= ansi.StringWidth(head)
	}
	if info != "" && room > 4 {
		tail = " " + ansi.Truncate(info, room-2, "…") + " "
		room -= ansi.StringWidth(tail)
	}
	return line.Render(left+flat) + head + line.Render(strings.Repeat(flat, max(0, room))) + tail + line.Render(flat+right)
}

// Scroll returns the first row to show of a list of n rows in a window of that height, so that the selected row is
// visible and the window moves as little as possible.
func Scroll(first, selected, n, height int) int {
	if selected < first {
		first = selected
	}
	if selected >= first+height {
		first = selected - height + 1
	}
	return max(0, min(first, n-height))
}

// Width returns how many cells a line takes.
func Width(s string) int {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return ansi.StringWidth(s)
		}
	}
	return len(s) // a quick check, as most text is plain
}

// Rect is a part of the screen.
type Rect struct{ X, Y, W, H int }

// Holds reports whether the rectangle contains a cell.
func (r Rect) Holds(x, y int) bool {
	return x >= r.X && x < r.X+r.W && y >= r.Y && y < r.Y+r.H
}
