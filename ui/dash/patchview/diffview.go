// Package patchview reads what a ship, a task or a voyage has changed, and shows it file by file.
package patchview

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"ocaptain/ui/dash/pane"
	"ocaptain/ui/words"

	"ocaptain/theme"
	"ocaptain/ui/changes"
)

// DiffView shows a patch. It belongs to the goroutine that draws.
type DiffView struct {
	title  string
	body   *PatchBody // nil until the patch is known
	err    error
	first  int
	left   int
	height int
	text   []string // lines shown in place of a patch, nil for none
}

// NewDiffView returns a view without a patch. The title is a text of ours.
func NewDiffView(title string) *DiffView { return &DiffView{title: pane.Line(title)} }

// SetLines shows a patch. The window stays where it is, as far as possible.
func (v *DiffView) SetLines(p changes.Patch) {
	v.body, v.err = NewPatchBody(p), nil
	if p.Title != "" {
		v.title = pane.Line(p.Title)
	}
}

// SetText shows lines of text in place of a patch; it wraps them, so that all text can be read.
func (v *DiffView) SetText(lines []string) { v.text = lines }

// SetError shows why there is no patch, or no newer one.
func (v *DiffView) SetError(err error) { v.err = err }

// Title returns the title.
func (v *DiffView) Title() string { return v.title }

// Info says how much changed and which file the window shows.
func (v *DiffView) Info() string {
	if v.body == nil {
		return ""
	}
	info := v.body.Sum()
	if n := len(v.body.patch.Files); n > 1 {
		info += fmt.Sprintf(" · file %d of %d", max(1, v.body.file(v.first)), n)
	}
	return info
}

// View draws the body as exactly height rows of exactly width cells.
func (v *DiffView) View(width, height int) []string {
	v.height = height
	var none *changes.NotFound
	switch {
	case v.text != nil:
		rows := words.Wrap(strings.Join(v.text, "\n"), width)
		v.first = max(0, min(v.first, len(rows)-height))
		if last := v.first + height - 1; height > 1 && last < len(rows)-1 { // the captain may only decide about what was on the screen
			rows[last] = theme.Title.Render(fmt.Sprintf("… %d more rows: j scrolls", len(rows)-last))
		}
		return pane.FitRows(rows[v.first:], width, height)
	case v.body == nil && errors.As(v.err, &none):
		return pane.Notice(width, height, "○ "+pane.Line(none.Text), "", pane.Line(none.Advice))
	case v.body == nil && v.err != nil:
		return pane.Notice(width, height, theme.No.Style.Render("✗ the changes could not be read"), pane.ErrorText(v.err), "")
	case v.body == nil:
		return pane.Notice(width, height, theme.Going.Style.Render("◌ reading the changes"), "", "")
	case v.body.Len() == 0:
		return pane.Notice(width, height, "○ nothing is changed", "", "")
	}
	v.first = max(0, min(v.first, v.body.Len()-height))
	rows := make([]string, 0, max(0, height))
	for n := v.first; n < v.first+height && n < v.body.Len(); n++ {
		rows = append(rows, v.body.Row(n, width, v.left))
	}
	// While a file is longer than the window, its heading stays in sight.
	if f := v.body.file(v.first); f > 0 && len(rows) > 1 && v.body.Heads[f-1] < v.first {
		rows[0] = v.body.heading(v.body.files[f-1], width, "")
	}
	return pane.FitRows(rows, width, height)
}

// ScrollBy moves the window n rows down, or up.
func (v *DiffView) ScrollBy(n int) { v.first = max(0, v.first+n) }

// Wheel is ScrollBy.
func (v *DiffView) Wheel(n int) { v.ScrollBy(n) }

// PageBy moves the window n pages down, or up.
func (v *DiffView) PageBy(n int) { v.ScrollBy(n * max(1, v.height-2)) }

// ScrollAcross moves the window n cells to the right, or left.
func (v *DiffView) ScrollAcross(n int) { v.left = max(0, min(v.left+n, WidestPatch)) }

// Top goes to the first row.
func (v *DiffView) Top() { v.first = 0 }

// Bottom goes to the last row.
func (v *DiffView) Bottom() {
	switch {
	case v.text != nil:
		v.first = math.MaxInt32 // as far as there is text
	case v.body != nil:
		v.first = max(0, v.body.Len()-v.height)
	}
}

// CountFiles returns how many files the patch has, 0 before it is known.
func (v *DiffView) CountFiles() int {
	if v.body == nil {
		return 0
	}
	return len(v.body.Heads)
}

// NextFile scrolls n files down, or up for a negative n. The patch must have a file.
func (v *DiffView) NextFile(n int) { v.first = v.body.Next(v.first, n) }

// Click does nothing: there is nothing to choose.
func (v *DiffView) Click(_, _ int) {}

// WidestPatch bounds how far a patch scrolls to the right.
const WidestPatch = 4 << 10
