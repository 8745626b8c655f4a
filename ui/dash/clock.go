package dash

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"ocaptain/fleet"
)

// tickMsg is a tick of the clock; only the newest tick counts.
type tickMsg struct{ number int }

// tick wakes the dashboard when an age on the screen changes: every second while an age is shown in seconds or a
// message is shown, otherwise twice a minute. It keeps a pending tick that comes soon enough, and replaces a tick that
// comes too late.
func (m *Model) tick() tea.Cmd {
	pace := m.pace()
	due := m.o.Now().Add(pace)
	if !m.due.IsZero() && !m.due.After(due) {
		return nil
	}
	m.due = due
	m.ticks++
	number := m.ticks
	return tea.Tick(pace, func(time.Time) tea.Msg { return tickMsg{number} })
}

func (m *Model) pace() time.Duration {
	switch {
	case len(m.toasts.Shown) > 0, !m.overAt.IsZero() && m.o.Closing > 0 && !m.touched:
		return time.Second
	case m.v == nil || !m.v.Loaded:
		return 30 * time.Second
	case m.calls.bells.PutOff() != "", m.v.Needs.Ripens(), m.jobs.Running() > 0, m.v.Board.Phase == fleet.Fitting, m.v.Agents.ShowsSeconds(m.now):
		return time.Second
	}
	return 30 * time.Second
}

// expire removes messages that were shown for long enough.
func (m *Model) expire() tea.Cmd {
	m.toasts.Expire(m.now)
	if m.o.Closing > 0 && !m.touched && !m.overAt.IsZero() && m.now.Sub(m.overAt) >= m.o.Closing {
		return m.quit()
	}
	return nil
}

// silence is the largest age of a board while helm works.
const silence = 45 * time.Second

// stale reports whether no more news of the voyage comes: the board is older than helm ever lets it get.
func (m *Model) stale() bool {
	b := m.v.Board
	return m.v.Loaded && !b.At.IsZero() && b.Phase != fleet.Sunk && m.now.Sub(b.At) > silence
}
