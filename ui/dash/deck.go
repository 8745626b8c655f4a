package dash

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
	"ocaptain/ui/dash/act"
	"ocaptain/ui/dash/act/onfleet"
	"ocaptain/ui/dash/toast"
)

// deck returns what an action on the shown voyage has of the dashboard.
func (m *Model) deck() *act.Deck {
	return &act.Deck{
		Voyage: m.v.Dir.ID(), Now: m.now, Board: func() *fleet.Board { return m.v.Board },
		Say: m.say, Show: m.show,
		Compose: func(purpose, title, placeholder string, send func(text string) tea.Cmd) {
			m.show(m.drafts.Compose(purpose, title, placeholder, send))
		},
		Edit: func(purpose, title, text string, send func(text string) tea.Cmd) {
			m.show(m.drafts.Edit(purpose, title, text, send))
		},
		Run: m.throughHelm, Ask: m.askHelm, Send: func(ctx context.Context, then act.Then) { m.news.Send(ctx, then) }, Start: m.o.Helm,
	}
}

// newDesk returns what actions beside the shown voyage have of the dashboard.
func (m *Model) newDesk() *onfleet.Desk {
	return &onfleet.Desk{
		Context: m.ctx, Hub: m.o.Hub, Yard: &m.o.Yard, Jobs: m.jobs, Now: func() time.Time { return m.now },
		Say: m.say, Show: m.show, Send: func(ctx context.Context, then act.Then) { m.news.Send(ctx, then) }, Start: m.o.Helm,
		Busy: m.busy, Away: m.visits.IsAsking, Open: m.open,
		Shown: func() *fleet.Dir {
			if m.v == nil {
				return nil
			}
			return &m.v.Dir
		},
		Leave: func() {
			m.v.Close()
			m.begin(nil)
		},
	}
}

// throughHelm does work through helm: a message shows that it runs, its progress, and how it ended.
func (m *Model) throughHelm(name string, work act.Work) cmd {
	client := m.client
	if client == nil {
		return m.say(toast.Bad, name+": helm is not there yet; it is being started")
	}
	return m.jobs.Start(name, func(ctx context.Context, report func(api.Progress)) (act.Ending, error) {
		return work(ctx, client, report)
	})
}

// askHelm asks helm for something without a message.
func (m *Model) askHelm(ask func(context.Context, *api.Client) act.Then) cmd {
	client, ctx := m.client, m.ctx
	if client == nil {
		return nil
	}
	return func() tea.Msg {
		if then := ask(ctx, client); then != nil {
			return then
		}
		return nil
	}
}
