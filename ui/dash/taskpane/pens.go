package taskpane

import (
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"ocaptain/fleet"
	"ocaptain/theme"
	"ocaptain/ui/dash/pane"
)

// styler is what gives text its look.
type styler interface{ Render(text ...string) string }

// pen is a style as the bytes around a text. Asking lipgloss for every cell of a large
// picture takes longer than all the rest of it.
type pen struct{ open, close string }

func penOf(s lipgloss.Style) pen {
	before, after, _ := strings.Cut(s.Render("x"), "x")
	return pen{before, after}
}

// Render returns a text of one line in the style.
func (p pen) Render(text ...string) string {
	if len(text) == 0 || text[0] == "" || p.open == "" {
		return strings.Join(text, " ")
	}
	return p.open + strings.Join(text, " ") + p.close
}

// pens are the styles of one frame.
type pens struct {
	plain, dim, track, border, focused, accent, selected, bad, needs pen

	standing [len(fleet.Tally{})]pen
	ships    map[string]pen
}

func newPens(unfocus bool) pens {
	p := pens{
		plain: penOf(theme.Plain), dim: penOf(theme.Dim), track: penOf(theme.Track), border: penOf(theme.Border),
		focused: penOf(theme.BorderFocused), accent: penOf(theme.Accent), selected: penOf(theme.Selected), bad: penOf(theme.Bad), needs: penOf(theme.Needs),
		ships: map[string]pen{},
	}
	if unfocus {
		p.selected = penOf(theme.SelectedElse)
	}
	for s := range p.standing {
		p.standing[s] = penOf(theme.Task(fleet.Standing(s)).Style)
	}
	return p
}

// dye tells themes apart, so that rows which are kept are drawn anew in another one.
func dye() string {
	return theme.Title.Render("x") + theme.Dim.Render("x") + theme.Accent.Render("x") + theme.Bad.Render("x") + theme.Needs.Render("x")
}

// ship is the style of a ship's name.
func (p *pens) ship(name string) pen {
	one, known := p.ships[name]
	if !known {
		one = penOf(theme.ShipStyle(name))
		p.ships[name] = one
	}
	return one
}

// cells is the width of a text, soon known for most.
func cells(s string) int {
	if ascii(s) {
		return len(s)
	}
	return ansi.StringWidth(s)
}

// fit is pane.Fit, soon done for most.
func fit(s string, width int) string {
	if n := len(s); n <= width && ascii(s) {
		return s + strings.Repeat(" ", width-n)
	}
	return pane.Fit(s, width)
}

// ascii reports whether a text is printable and has one cell for each byte.
func ascii(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}
