package dash

import (
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"ocaptain/theme"
	"ocaptain/ui/dash/pane"
	"ocaptain/ui/words"
)

// scope is where the captain's keys act now.
func (m *Model) scope() scope {
	switch {
	case m.typing != "":
		return inTyping
	case m.place == detail:
		return inDetail
	case m.place == diff:
		return inDiff
	case m.place == wall:
		return inWall
	case m.place == full && m.focus == logs:
		return inFullLogs
	}
	return [...]scope{inAgents, inTasks, inLogs, inShip}[m.focus]
}

// footer is the last row: what is typed into the filter, or the keys of this place.
func (m *Model) footer() (string, *tea.Cursor) {
	if m.prompt != nil && len(m.dialogs) == 0 {
		return m.prompt.draw(m.width, m.height-1)
	}
	var pairs [][2]string
	if len(m.dialogs) > 0 {
		pairs = m.dialogs[len(m.dialogs)-1].Keys()
	} else {
		for _, g := range groups[m.scope()] {
			for i := range bindings {
				if k := &bindings[i]; k.in == g && k.short != "" && len(k.keys) > 0 && m.possible(k) {
					pairs = append(pairs, [2]string{shown(k.keys[:1]), m.shortOf(k)})
				}
			}
		}
	}
	last := ""
	if m.o.Closing > 0 && !m.touched && !m.overAt.IsZero() {
		last = theme.Waiting.Render("closes in " + words.Age(m.o.Closing-m.now.Sub(m.overAt)) + ", any key keeps it open ")
	}
	if m.number != "" {
		last = theme.Accent.Render("ship " + strings.TrimPrefix(m.number, "g") + "_ ")
	}
	return pane.Fit(hints(pairs, m.width-ansi.StringWidth(last)-1)+last, m.width), nil
}

func (m *Model) possible(k *binding) bool { return k.off == nil || k.off(m) == "" }

// shortOf is what the footer says of a key; q goes back where there is something to go
// back from.
func (m *Model) shortOf(k *binding) string {
	if k.keys[0] == "q" && m.place != home {
		return "back"
	}
	return k.short
}

// hints writes keys and their meaning as far as there is room.
func hints(pairs [][2]string, width int) string {
	var b strings.Builder
	used := 0
	for _, p := range pairs {
		text := " " + theme.Key.Render(p[0]) + " " + theme.Dim.Render(p[1]) + " "
		w := ansi.StringWidth(text)
		if used+w > width {
			break
		}
		b.WriteString(text)
		used += w
	}
	return b.String()
}
