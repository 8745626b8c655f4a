package tasksheet

import (
	"fmt"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"ocaptain/fleet/clean"
	"ocaptain/theme"
	"ocaptain/ui/dash/pane"
	"ocaptain/ui/words"
)

// section begins a section.
func (s *sheet) section(name, note string) {
	row := " " + theme.Title.Render(name)
	if note != "" {
		row += theme.Dim.Render("  " + note)
	}
	s.rows = append(s.rows, "", row)
}

// dim adds a row of less importance.
func (s *sheet) dim(text string) {
	s.rows = append(s.rows, "   "+theme.Dim.Render(words.FitWidth(text, s.width-4)))
}

// bad adds a row with an error.
func (s *sheet) bad(err error) {
	s.rows = append(s.rows, "   "+theme.No.Style.Render(words.FitWidth("✗ "+pane.ErrorText(err), s.width-4)))
}

// fact adds a row with a name and a value, which may be styled.
func (s *sheet) fact(name, value string) {
	s.rows = append(s.rows, " "+theme.Dim.Render(fmt.Sprintf("%-10s ", name))+value)
}

// wrapped adds rows of text, broken at words, up to the usual number.
func (s *sheet) wrapped(text string, indent int) {
	const bytes = 16 << 10
	cut := len(text) > bytes
	if cut {
		text = text[:bytes]
	}
	if s.lay(text, indent, maxText) || cut {
		s.dim("the rest is left out; ocaptain tasks --json has all of it")
	}
}

// lay adds at most that many rows of text, and reports whether text was left out.
func (s *sheet) lay(text string, indent, most int) (cut bool) {
	lines := words.Wrap(strings.ReplaceAll(clean.Text(text), "\t", "    "), max(8, s.width-indent-2))
	if len(lines) > most {
		lines, cut = lines[:most], true
	}
	for _, l := range lines {
		s.rows = append(s.rows, strings.Repeat(" ", indent)+theme.Plain.Render(l))
	}
	return cut
}

// hanging adds a text of up to three rows after head, which begins the first row.
func (s *sheet) hanging(head, text string) {
	used := ansi.StringWidth(head)
	parts := words.Wrap(text, max(12, s.width-used-2))
	if len(parts) > 3 {
		parts = append(parts[:2], words.FitWidth(parts[2], max(1, s.width-used-4))+" …")
	}
	for n, part := range parts {
		if n > 0 {
			head = strings.Repeat(" ", used)
		}
		s.rows = append(s.rows, head+theme.Plain.Render(part))
	}
}
