package taskpane

import (
	"strings"

	"charm.land/lipgloss/v2"

	"ocaptain/fleet"
	"ocaptain/theme"
)

// pen is a style as the bytes before and after a text. Calling lipgloss for every cell of a large
// picture would take most of the time of drawing.
type pen struct{ open, close string }

func penOf(s lipgloss.Style) pen {
	before, after, _ := strings.Cut(s.Render("x"), "x")
	return pen{before, after}
}

// Render returns a line of text in the style.
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

// ship returns the style of a ship's name.
func (p *pens) ship(name string) pen {
	one, known := p.ships[name]
	if !known {
		one = penOf(theme.ShipStyle(name))
		p.ships[name] = one
	}
	return one
}
