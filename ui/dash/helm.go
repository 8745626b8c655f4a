package dash

import (
	"context"
	"errors"

	tea "charm.land/bubbletea/v2"

	"ocaptain/fleet/helm/api"
	"ocaptain/ui/dash/connection"
	"ocaptain/ui/dash/toast"
)

// followHelm sends the model the state of helm.
func (m *Model) followHelm() {
	m.helm.Follow(m.ctx, func(s connection.State) {
		m.news.Send(m.ctx, helmMsg(s))
		if s.Up() {
			m.news.Run(func() { m.desk.FindOrphans(s.Client) })
		}
	})
}

// setHelm shows the state of helm.
func (m *Model) setHelm(now connection.State) tea.Cmd {
	was := m.known
	if was.Err != nil && now.Err != nil && !errors.Is(was.Err, connection.ErrIdle) {
		now.Since = was.Since // helm has been away all the time
	}
	m.now = m.o.Now()
	m.known, m.client = now, now.Client
	return tea.Batch(m.tellHelm(was, now), m.assess())
}

// tellHelm tells the captain what happened to helm.
func (m *Model) tellHelm(was, now connection.State) tea.Cmd {
	switch {
	case was.Up() && errors.Is(now.Err, connection.ErrStopped):
		return m.say(toast.Warn, "helm was stopped on purpose; “restart helm” among the actions (:) starts it")
	case was.Up() && !now.Up():
		return m.say(toast.Bad, "helm is gone: "+now.Err.Error()+"; it is started again")
	case was.Err != nil && now.Up() && !errors.Is(was.Err, connection.ErrIdle):
		return m.say(toast.Good, "helm is back")
	}
	return nil
}

// restartHelm ends helm and starts it again.
func (m *Model) restartHelm() cmd {
	return m.jobs.Run("restart helm", func(ctx context.Context, _ func(api.Progress)) error { return m.helm.Restart(ctx) })
}
