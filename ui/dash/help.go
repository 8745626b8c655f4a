package dash

import (
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"ocaptain/theme"
	"ocaptain/ui/dash/dialog"
	"ocaptain/ui/dash/keys"
)

// openHelp shows the keys of this place first, then all others.
func (m *Model) openHelp() cmd {
	var lines []string
	here := keys.Groups[m.scope()]
	section := func(g keys.Group) {
		lines = append(lines, theme.Title.Render(string(g)))
		for _, k := range bindings.Group(g) {
			names := keys.Shown(k.Keys)
			if len(k.Keys) == 10 {
				names = "0 … 9"
			}
			line := "  " + theme.Key.Render(fmt.Sprintf("%-16s", names)) + " " + k.Help
			if k.Off != nil {
				if why := k.Off(m); why != "" && slices.Contains(here, g) {
					line += theme.Dim.Render(" (not now: " + why + ")")
				}
			}
			lines = append(lines, line)
		}
		lines = append(lines, "")
	}
	for _, g := range here {
		section(g)
	}
	for _, g := range keys.Order {
		if !slices.Contains(here, g) {
			section(g)
		}
	}
	lines = append(lines, theme.Dim.Render("roles: a all · w worker · v validator · p planner"))
	m.show(dialog.NewPager("Keys: "+string(m.scope()), lines, 96, false))
	return nil
}

// openPalette offers every action by its name; those that cannot be done now say why.
func (m *Model) openPalette() cmd {
	var choices []dialog.Choice
	seen := map[string]bool{}
	for i := range bindings {
		k := &bindings[i]
		if k.Name == "" || seen[k.Name] {
			continue
		}
		seen[k.Name] = true
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
