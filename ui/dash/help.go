package dash

import (
	tea "charm.land/bubbletea/v2"

	"ocaptain/theme"
	"ocaptain/ui/dash/dialog"
	"ocaptain/ui/dash/keys"
)

// openHelp shows the keys of this scope first, then all others.
func (m *Model) openHelp() cmd {
	lines := append(bindings.Help(m, m.scope()), theme.Dim.Render("roles: a all · w worker · v validator · p planner"),
		theme.Dim.Render("tasks: P pending · W working · R in review · D done · H on hold"), theme.Dim.Render("dispatches: Q queued · R running · D done · F failed"))
	m.show(dialog.NewPager("Keys: "+string(m.scope()), lines, 96, false).Wrap(keys.Indent))
	return nil
}

// openPalette offers every action by name; an action that cannot be done now says why.
func (m *Model) openPalette() cmd {
	var choices []dialog.Choice
	for _, k := range bindings.Named() {
		c := dialog.Choice{Name: k.Name, Side: keys.Shown(k.Keys), Do: func() tea.Cmd { return m.act(k) }}
		switch {
		case m.v == nil && !withoutVoyage(k):
			c.Off = "there is no voyage yet"
		case k.Off != nil:
			c.Off = k.Off(m)
		}
		choices = append(choices, c)
	}
	m.show(dialog.NewChoose("Actions", "", choices))
	return nil
}
