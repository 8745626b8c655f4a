package dash

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"ocaptain/ui/dash/act"
	"ocaptain/ui/dash/screen"
)

// stream streams exactly the ships that are on the screen.
func (m *Model) stream() {
	v := m.v
	if !v.Loaded || m.visits.IsAway() || m.layout().TooSmall() {
		return
	}
	var wanted []string
	switch {
	case m.page != nil:
	case m.place == onWall:
		ships, _ := m.tiles().Shown()
		for _, s := range ships {
			wanted = append(wanted, s.Name)
		}
	default:
		if _, shown := m.layout().Places()[screen.Ship]; shown && m.watched() != "" {
			wanted = append(wanted, m.watched())
		}
	}
	v.Views.ShowOnly(wanted...)
}

// watched returns the ship of the live view, "" for none. A ship that gets the captain's keys is shown even when it
// is gone, as the keys are still meant for it.
func (m *Model) watched() string {
	if m.typing != "" {
		return m.typing
	}
	return m.shipName()
}

// budget is how much of a frame the filter of the logs may take.
const budget = 3 * time.Millisecond

// fetchLogs continues filtering the logs, and reads the lines that must be drawn and are not in memory.
func (m *Model) fetchLogs() cmd {
	v := m.v
	var cmds []cmd
	if v.Logs.Advance(budget) && !m.finding {
		m.finding = true
		cmds = append(cmds, tea.Tick(time.Second/frames, func(time.Time) tea.Msg {
			return act.Then(func() cmd { m.finding = false; return nil })
		}))
	}
	for _, work := range v.Logs.PendingReads() {
		cmds = append(cmds, func() tea.Msg {
			done := work()
			return act.Then(func() cmd {
				if m.v == v {
					v.Logs.ApplyResult(done)
				}
				return nil
			})
		})
	}
	return tea.Batch(cmds...)
}
