package changes

import (
	"context"
	"errors"
	"strings"

	"ocaptain/fleet"
	"ocaptain/fleet/clean"
	"ocaptain/theme"
	"ocaptain/ui/words"
)

// The bounds of a Patch.
const (
	MaxLines = 20_000
	MaxBytes = 4 << 20
	maxFiles = 2_000
	longest  = 4 << 10 // bytes of a line
	tab      = 4       // width of a tab, in cells
)

// Patch is a change in lines that are ready for the screen: clean, without tabs, bounded in number
// and size.
type Patch struct {
	Title   string
	Lines   []Line
	Files   []Place
	Added   int // in all files
	Removed int
	Left    string // what was left out and how to see it, "" for nothing
}

// Place is a file of a patch and the index of its first line, -1 when that was left out.
type Place struct {
	File
	Line int
}

// IsEmpty reports whether the patch changes nothing.
func (p Patch) IsEmpty() bool { return len(p.Files) == 0 && len(p.Lines) == 0 }

// Read reads the change within its bounds.
func (c Change) Read(ctx context.Context, d fleet.Dir) (Patch, error) {
	p := Patch{Title: clean.Line(c.Title)}
	if c.IsEmpty() {
		return p, nil
	}
	files, err := c.ListFiles(ctx, d, true)
	if err != nil {
		return p, err
	}
	size, at := 0, 0
	for _, f := range files {
		p.Added += max(0, f.Added)
		p.Removed += max(0, f.Removed)
		f.Path = clean.Line(f.Path)
		if len(p.Files) < maxFiles {
			p.Files = append(p.Files, Place{f, -1})
		}
	}
	steering, err := c.Steering(ctx, d)
	if err != nil {
		return p, err
	}
	if text := SteeringLine(steering); text != "" {
		p.Lines = append(p.Lines, Line{Steers, theme.Warn.Glyph + " " + text})
	}
	changed := 0
	err = c.ScanLines(ctx, d, false, func(l Line) error {
		l.Text = spaces(l.Text)
		if size += len(l.Text) + 32; len(p.Lines) >= MaxLines || size > MaxBytes {
			return errEnough
		}
		switch l.Kind {
		case Head:
			// git lists files in the same order in its statistics and its patch.
			if at < len(p.Files) {
				p.Files[at].Line = len(p.Lines)
			}
			at++
		case Added, Removed:
			changed++
		}
		p.Lines = append(p.Lines, l)
		return nil
	})
	if errors.Is(err, errEnough) {
		p.Left = leftOutText(p.Added+p.Removed-changed, len(files)-at)
		err = nil
	}
	return p, err
}

// leftOutText says how much was left out.
func leftOutText(lines, files int) string {
	text := "the rest is left out"
	if lines > 0 {
		text += ": " + words.Counted(lines, "changed line")
	}
	if files > 0 {
		text += " and " + words.Counted(files, "whole file")
	}
	return text + "; ocaptain diff shows all of it"
}

// spaces replaces tabs by spaces and cuts off the end of a long line.
func spaces(s string) string {
	if len(s) > longest {
		s = strings.ToValidUTF8(s[:longest], "") + "…"
	}
	if !strings.Contains(s, "\t") {
		return s
	}
	var b strings.Builder
	column := 0
	for _, r := range s {
		if r == '\t' {
			n := tab - (column+tab-1)%tab // the first column holds the mark of the line
			b.WriteString(strings.Repeat(" ", n))
			column += n
			continue
		}
		b.WriteRune(r)
		column++
	}
	return b.String()
}
