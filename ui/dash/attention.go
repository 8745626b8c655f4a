package dash

import (
	"errors"
	"time"

	tea "charm.land/bubbletea/v2"

	"ocaptain/fleet/need"
	"ocaptain/ui/dash/attention"
	"ocaptain/ui/dash/connection"
	"ocaptain/ui/dash/shown"
	"ocaptain/ui/dash/toast"
)

// lookAgain computes the present needs from the board.
func (m *Model) lookAgain() *attention.Needs {
	v := m.v
	v.Away = m.away()
	v.Needs = attention.Look(m.now, v.Board, v.Away)
	return v.Needs
}

// assess updates the shown needs, after news of helm or with time, and tells the captain about new needs.
func (m *Model) assess() cmd {
	if m.v == nil || !m.v.Loaded {
		return nil
	}
	if away := m.away(); m.v.Needs.Ripens() || away != m.v.Away {
		needs := m.lookAgain()
		m.v.Agents.SetNeeds(needs)
		m.v.Tasks.SetNeeds(needs)
	}
	return m.attend()
}

// away says whether and why helm does not run the voyage: it is not running, or sends nothing.
func (m *Model) away() need.Away {
	is := m.known
	switch {
	case !is.Known(), errors.Is(is.Err, connection.ErrIdle):
		return need.Away{}
	case !is.Up():
		return need.Away{Why: is.Err.Error(), Since: is.Since}
	case m.v.IsStale(m.now) && m.now.Sub(is.Since) > shown.Silence:
		return need.Away{Why: "it runs, and brings nothing new of the voyage", Since: m.v.Board.At}
	}
	return need.Away{}
}

// attend tells the captain about new needs and about the end of the voyage.
func (m *Model) attend() cmd {
	b := m.v.Board
	news, completed := m.calls.watch.News(b, m.v.Needs, m.now)
	var cmds []cmd
	for _, text := range news {
		cmds = append(cmds, m.say(toast.Need, text))
	}
	switch {
	case !b.Phase.IsOver(): // the voyage may go on after a failed verification
		m.overAt = time.Time{}
	case m.overAt.IsZero():
		m.overAt = m.o.Now()
	}
	if completed {
		const text = "the voyage is complete: every task is merged and verified"
		cmds = append(cmds, m.say(toast.Good, text))
		news = append(news, text)
	}
	if len(news) > 0 {
		cmds = append(cmds, m.ring(news[0]))
	}
	return tea.Batch(cmds...)
}

// ring rings the bell and has the terminal notify the captain, unless a bell rang just before: then the bell is put off.
func (m *Model) ring(text string) cmd {
	if m.o.Quiet || m.visits.IsAway() {
		m.calls.bells.Drop()
		return nil
	}
	if !m.calls.bells.Ring(text, m.o.Now()) {
		return nil
	}
	return tea.Raw(attention.Bell(text, m.env))
}

// ringLate rings a bell that was put off.
func (m *Model) ringLate() cmd {
	if text := m.calls.bells.PutOff(); text != "" {
		return m.ring(text)
	}
	return nil
}
