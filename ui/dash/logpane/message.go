package logpane

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"ocaptain/fleet/clean"
	"ocaptain/ui/dash/pane"
)

// message returns the text in place of lines when there are none: why, and what to do next.
func (p *Pane) message() []string {
	_, whole := p.book.Indexed()
	_, searched := p.book.Searched()
	filters := ansi.Strip(strings.Join(p.filters(), " · "))
	say := func(kind pane.Kind, lines ...string) []string {
		return pane.Message(p.width, p.height, kind, lines...)
	}
	switch {
	case p.fault != nil:
		return say(pane.Failed, "the logs cannot be read", clean.Line(p.fault.Error()), "mend that and open the dashboard again")
	case p.Filtered() && p.began && (!whole || !searched):
		return say(pane.Loading, "searching …", filters, "esc clears the filters")
	case p.Filtered() && p.began:
		return say(pane.Filtered, "no line is like this", filters, "esc clears the filters")
	case !whole || !searched:
		return say(pane.Loading, "reading the logs …")
	}
	return say(pane.Empty, "nothing yet", "ships write here what their agents say and do")
}
