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
	tab      = 4       // cells that a tab fills up
)

// Patch is a change in lines that can be put on a screen as they are: clean, tabs
// turned into spaces, bounded in number and size.
type Patch struct {
	Title   string
	Lines   []Line
	Files   []Place
	Added   int // lines, of all files
	Removed int
	Left    string // what was left out and how to see it, "" for nothing
}

// Place is a file of a patch and the line where it begins, -1 when that was left out.
type Place struct {
	File
	Line int
}

// IsEmpty reports whether the patch changes nothing.
func (p Patch) IsEmpty() bool { return len(p.Files) == 0 && len(p.Lines) == 0 }

// Read reads the change as far as its bounds allow.
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
			// git lists the files of its statistics and of its patch in one order.
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

// leftOutText says how much is left out.
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

// spaces turns tabs into spaces and cuts off what nobody reads.
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
			n := tab - (column+tab-1)%tab // the first column is the mark of the line
			b.WriteString(strings.Repeat(" ", n))
			column += n
			continue
		}
		b.WriteRune(r)
		column++
	}
	return b.String()
}
