package dash

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"ocaptain/fleet"
	"ocaptain/fleet/clean"
	"ocaptain/fleet/helm/api"
	"ocaptain/theme"
	"ocaptain/ui/dash/act/ondecision"
	"ocaptain/ui/dash/act/onship"
	"ocaptain/ui/dash/dialog"
	"ocaptain/ui/dash/toast"
	"ocaptain/ui/words"
)

// openSail asks whether to sail a plan or to add a ship; before the first voyage, and after the end of one, it goes
// straight to the plan.
func (m *Model) openSail() cmd {
	if m.v == nil || !m.v.Loaded || m.v.Board.Phase == fleet.Sunk {
		return m.desk.Sail()
	}
	d := m.deck()
	add := dialog.Choice{Name: "add a ship to this voyage", Do: func() tea.Cmd { return onship.Add(d) }}
	if m.selection().Pool() != "" {
		add.Name = "add a worker to this pool"
	}
	if m.v.Board.Phase.IsOver() {
		add.Off = "it is over"
	}
	m.show(dialog.NewChoose("Sail", "", []dialog.Choice{add, {Name: "sail a plan: a new voyage", Do: m.desk.Sail}}))
	return nil
}

// openDispatch dispatches to the shown pool, or else to the pool of the working directory.
func (m *Model) openDispatch() cmd {
	if m.selection().Pool() != "" {
		return m.desk.Dispatch(m.v.Board.Voyage.Repo)
	}
	return m.desk.Dispatch(".")
}

// verify runs verify.sh now.
func (m *Model) verify() cmd { return ondecision.Verify(m.deck(), api.VerifyRequest{}) }

// sinkVoyage asks for confirmation, and sinks all ships.
func (m *Model) sinkVoyage() cmd { return onship.SinkAll(m.deck(), clean.Line(m.title())) }

// diffVoyage shows what the voyage has changed.
func (m *Model) diffVoyage() cmd { return m.loadDiff("") }

// quit ends the dashboard. Ships sail on; it asks for confirmation when an action would be cut off.
func (m *Model) quit() cmd {
	if m.jobs.Running() > 0 && (m.leaving == nil || !slices.Contains(m.dialogs, m.leaving)) {
		m.leaving = dialog.NewConfirm("Quit now?", []string{words.Counted(m.jobs.Running(), "action") + " under way: a voyage that is being provisioned is taken back, all else goes on"}, "", func() tea.Cmd { return tea.Quit })
		m.show(m.leaving)
		return nil
	}
	return tea.Quit
}

func (m *Model) suspend() cmd { return tea.Suspend }

// nextTheme changes to the next theme.
func (m *Model) nextTheme() cmd {
	m.look, m.chosen = m.look.Next(), true
	theme.Activate(m.look)
	return m.say(toast.Good, "theme: "+string(m.look)+"; to keep it: theme: "+string(m.look)+" in "+m.o.Hub.ConfigFile())
}
