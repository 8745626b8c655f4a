package dash

import (
	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"ocaptain/theme"
	"ocaptain/ui/dash/keys"
	"ocaptain/ui/dash/pane"
	"ocaptain/ui/dash/screen"
	"ocaptain/ui/words"
)

// scope returns the scope in which the captain's keys act now.
func (m *Model) scope() keys.Scope {
	switch {
	case m.typing != "":
		return keys.InTyping
	case m.page != nil:
		return m.page.Scope()
	case m.place == onWall:
		return keys.InWall
	case m.place == full && m.focus == screen.Logs:
		return keys.InFullLogs
	}
	return [...]keys.Scope{keys.InAgents, keys.InTasks, keys.InLogs, keys.InShip}[m.focus]
}

// footer returns the last row: the filter that is being typed, or the keys of this scope.
func (m *Model) footer() (string, *tea.Cursor) {
	if m.filter != nil && len(m.dialogs) == 0 {
		return m.filter.View(m.width, m.height-1)
	}
	var pairs, always [][2]string
	if len(m.dialogs) > 0 {
		pairs = m.dialogs[len(m.dialogs)-1].Keys()
	} else {
		pairs, always = bindings.Hints(m, m.scope(), m.shortOf)
	}
	last := ""
	if m.o.Closing > 0 && !m.touched && !m.overAt.IsZero() {
		last = theme.Title.Render("closes in " + words.Age(m.o.Closing-m.now.Sub(m.overAt)) + ", any key keeps it open ")
	}
	if m.number.IsTyped() {
		last = theme.Accent.Render("ship " + m.number.Digits() + "_ ")
	}
	end := pane.Hints(always, m.width) + last
	return pane.Fit(pane.Hints(pairs, m.width-ansi.StringWidth(end)-1)+end, m.width), nil
}

// shortOf returns the footer's text for a key; q says "back" when there is a page to go back to, and a pool has
// dispatches in place of a plan.
func (m *Model) shortOf(k *keys.Binding[*Model]) string {
	switch {
	case k.Keys[0] == "q" && !m.atHome():
		return "back"
	case k.First && m.v != nil && (k.Keys[0] == "p") != (m.selection().Pool() != ""):
		return ""
	}
	return k.Short
}
