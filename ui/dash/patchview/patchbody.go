package patchview

import (
	"fmt"
	"sort"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"ocaptain/theme"
	"ocaptain/ui/changes"
	"ocaptain/ui/dash/pane"
	"ocaptain/ui/words"
)

// PatchBody is a patch as rows of the screen, which are drawn when they are visible.
type PatchBody struct {
	patch changes.Patch
	lines []int32 // shown lines of the patch, without lines that a heading replaces
	Heads []int   // row of each file, in order
	files []int32 // place in patch.Files of each of heads
	lost  []int32 // files whose lines were left out
}

// NewPatchBody returns the rows of a patch.
func NewPatchBody(p changes.Patch) *PatchBody {
	b := &PatchBody{patch: p}
	starts := map[int32]int32{}
	for n, f := range p.Files {
		if f.Line >= 0 {
			starts[int32(f.Line)] = int32(n)
		} else {
			b.lost = append(b.lost, int32(n))
		}
	}
	for n, l := range p.Lines {
		if f, begins := starts[int32(n)]; begins {
			b.Heads = append(b.Heads, len(b.lines))
			b.files = append(b.files, f)
		} else if l.Kind == changes.Meta && said(l.Text) {
			continue
		}
		b.lines = append(b.lines, int32(n))
	}
	return b
}

// said reports whether the heading of a file says the same as a line.
func said(text string) bool {
	for _, start := range []string{"index ", "--- ", "+++ "} {
		if strings.HasPrefix(text, start) {
			return true
		}
	}
	return false
}

// Len returns the number of rows.
func (b *PatchBody) Len() int {
	n := len(b.lines) + len(b.lost)
	if b.patch.Left != "" {
		n++
	}
	return n
}

// Row draws a row, the text of the patch shifted left cells to the left.
func (b *PatchBody) Row(n, width, left int) string {
	if n < 0 || n >= b.Len() {
		return ""
	}
	if n >= len(b.lines)+len(b.lost) {
		return " " + theme.Title.Render(words.FitWidth("! "+b.patch.Left, width-1))
	}
	if n >= len(b.lines) {
		return b.heading(b.lost[n-len(b.lines)], width, "left out")
	}
	if at := sort.SearchInts(b.Heads, n); at < len(b.Heads) && b.Heads[at] == n {
		return b.heading(b.files[at], width, "")
	}
	l := b.patch.Lines[b.lines[n]]
	return l.Render(ansi.Cut(l.Text, left, left+width))
}

// heading returns the row at which a file begins.
func (b *PatchBody) heading(f int32, width int, note string) string {
	file := b.patch.Files[f]
	tail := "binary"
	style := theme.Dim
	if file.Added >= 0 {
		tail = theme.Added.Render(fmt.Sprintf("+%d", file.Added)) + " " + theme.Removed.Render(fmt.Sprintf("−%d", file.Removed))
	} else {
		tail = style.Render(tail)
	}
	if note != "" {
		tail += style.Render(" " + note)
	}
	name := words.FitWidth(file.Path, max(1, width-ansi.StringWidth(tail)-6))
	rule := max(1, width-ansi.StringWidth(name)-ansi.StringWidth(tail)-4)
	return pane.Fit(theme.Title.Render(name)+" "+theme.Track.Render(strings.Repeat("─", rule))+" "+tail, width)
}

// Next returns the row of the n-th file after a row, or before it for a negative n; the
// row itself when there is none.
func (b *PatchBody) Next(row, n int) int {
	if len(b.Heads) == 0 || n == 0 {
		return row
	}
	at := sort.SearchInts(b.Heads, row)
	if n > 0 {
		if at < len(b.Heads) && b.Heads[at] == row {
			at++
		}
		at += n - 1
		if at >= len(b.Heads) {
			return max(row, b.Heads[len(b.Heads)-1])
		}
		return b.Heads[at]
	}
	return b.Heads[max(0, at+n)]
}

// file returns the number, from 1, of the file of a row; 0 for none.
func (b *PatchBody) file(row int) int { return sort.SearchInts(b.Heads, row+1) }

// Sum says how much changed.
func (b *PatchBody) Sum() string {
	if b.patch.IsEmpty() {
		return "changes nothing"
	}
	if len(b.patch.Files) == 0 {
		return ""
	}
	return fmt.Sprintf("%s · +%d −%d", words.Counted(len(b.patch.Files), "file"), b.patch.Added, b.patch.Removed)
}
