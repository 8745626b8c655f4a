package dash

import (
	"strings"

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
		pairs, always = m.hints()
	}
	last := ""
	if m.o.Closing > 0 && !m.touched && !m.overAt.IsZero() {
		last = theme.Title.Render("closes in " + words.Age(m.o.Closing-m.now.Sub(m.overAt)) + ", any key keeps it open ")
	}
	if m.number != "" {
		last = theme.Accent.Render("ship " + strings.TrimPrefix(m.number, "g") + "_ ")
	}
	end := pane.Hints(always, m.width) + last
	return pane.Fit(pane.Hints(pairs, m.width-ansi.StringWidth(end)-1)+end, m.width), nil
}

// hints returns the keys of this scope, and the keys that the footer shows at every width: help, palette and quit.
func (m *Model) hints() (pairs, always [][2]string) {
	for _, g := range keys.Groups[m.scope()] {
		for _, k := range bindings.Group(g) {
			short := m.shortOf(k)
			if short == "" || !m.possible(k) {
				continue
			}
			p := [2]string{keys.Shown(k.Keys[:1]), short}
			if g == keys.Everywhere && k.Always {
				always = append(always, p)
			} else {
				pairs = append(pairs, p)
			}
		}
	}
	return pairs, always
}

func (m *Model) possible(k *keys.Binding[*Model]) bool { return k.Off == nil || k.Off(m) == "" }

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
