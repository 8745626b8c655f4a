package dash

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"ocaptain/fleet"
)

type tickMsg time.Time

// tick wakes the dashboard when an age on the screen changes: every second while one is
// told in seconds, else twice a minute. No second tick is started beside a running one.
func (m *Model) tick() tea.Cmd {
	if m.ticking {
		return nil
	}
	m.ticking = true
	return tea.Tick(m.pace(), func(t time.Time) tea.Msg { return tickMsg(t) })
}

func (m *Model) pace() time.Duration {
	switch {
	case len(m.toasts) > 0, !m.overAt.IsZero() && m.o.Closing > 0 && !m.touched:
		return time.Second
	case m.v == nil || !m.v.loaded:
		return 30 * time.Second
	case m.jobs > 0, m.v.board.Phase == fleet.Fitting, m.v.agents.Young(m.now):
		return time.Second
	}
	return 30 * time.Second
}

// expire ends what has been shown for long enough.
func (m *Model) expire() tea.Cmd {
	m.dropToasts()
	if m.o.Closing > 0 && !m.touched && !m.overAt.IsZero() && m.now.Sub(m.overAt) >= m.o.Closing {
		return m.quit()
	}
	return nil
}

// stale reports whether nobody brings news of the voyage any more: its board is older than
// helm ever lets it get.
func (m *Model) stale() bool {
	b := m.v.board
	return m.v.loaded && !b.At.IsZero() && b.Phase != fleet.Sunk && m.now.Sub(b.At) > 45*time.Second
}
