package dash

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"ocaptain/fleet"
)

// tick wakes the dashboard when an age on the screen changes.
func (m *Model) tick() tea.Cmd { return m.clock.In(m.pace(), m.o.Now()) }

// pace returns how long the screen may stay as it is: a second while an age is shown in seconds or a message is shown, otherwise half a minute.
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

// expire removes messages whose time is over.
func (m *Model) expire() tea.Cmd {
	m.toasts.Expire(m.now)
	if m.o.Closing > 0 && !m.touched && !m.overAt.IsZero() && m.now.Sub(m.overAt) >= m.o.Closing {
		return m.quit()
	}
	return nil
}
