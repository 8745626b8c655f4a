package dash

import (
	tea "charm.land/bubbletea/v2"

	"ocaptain/fleet"
	"ocaptain/ui/dash/act"
)

// examine asks the doctor what is missing.
func (m *Model) examine() cmd {
	ctx, doctor := m.ctx, m.o.Doctor
	if doctor == nil {
		return nil
	}
	m.verdict = "looking at this machine …"
	return func() tea.Msg {
		verdict := doctor(ctx)
		return act.Then(func() cmd {
			m.verdict = verdict
			return nil
		})
	}
}

// openFirst shows the voyages to choose from, or how to begin when there are none.
func (m *Model) openFirst() cmd {
	if all, err := fleet.Voyages(m.o.Hub.Voyages).List(); err == nil && len(all) == 0 {
		return m.examine()
	}
	return m.desk.Choose()
}
