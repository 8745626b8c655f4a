package dash

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"ocaptain/theme"
	"ocaptain/ui/dash/dialog"
)

// openHelp shows the keys of this place first, then all others.
func (m *Model) openHelp() cmd {
	var lines []string
	here := groups[m.scope()]
	section := func(g group) {
		lines = append(lines, theme.Title.Render(string(g)))
		for i := range bindings {
			k := &bindings[i]
			if k.in != g || len(k.keys) == 0 {
				continue
			}
			keys := shown(k.keys)
			if len(k.keys) == 10 {
				keys = "0 … 9"
			}
			line := "  " + theme.Key.Render(fmt.Sprintf("%-16s", keys)) + " " + k.help
			if k.off != nil {
				if why := k.off(m); why != "" && contains(here, g) {
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
	for _, g := range order {
		if !contains(here, g) {
			section(g)
		}
	}
	lines = append(lines, theme.Dim.Render("roles: a all · w worker · v validator · p planner"))
	m.show(dialog.NewPager("Keys: "+string(m.scope()), lines, 96, false))
	return nil
}

func contains(all []group, g group) bool {
	for _, x := range all {
		if x == g {
			return true
		}
	}
	return false
}

// openPalette offers every action by its name; those that cannot be done now say why.
func (m *Model) openPalette() cmd {
	var choices []dialog.Choice
	seen := map[string]bool{}
	for i := range bindings {
		k := &bindings[i]
		if k.name == "" || seen[k.name] {
			continue
		}
		seen[k.name] = true
		c := dialog.Choice{Name: k.name, Side: shown(k.keys), Do: func() tea.Cmd { return m.act(k) }}
		switch {
		case m.v == nil && !withoutVoyage(k):
			c.Off = "there is no voyage yet"
		case k.off != nil:
			c.Off = k.off(m)
		}
		choices = append(choices, c)
	}
	m.show(dialog.NewChoose("Actions", "", choices))
	return nil
}
