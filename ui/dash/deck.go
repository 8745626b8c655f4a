package dash

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
	"ocaptain/ui/dash/act"
	"ocaptain/ui/dash/act/onfleet"
)

// deck returns the parts of the dashboard that actions on the shown voyage use.
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
		Run:  func(name string, work act.Work) cmd { return m.jobs.Through(m.client, name, work) },
		Ask:  func(ask func(context.Context, *api.Client) act.Then) cmd { return act.Ask(m.ctx, m.client, ask) },
		Send: func(ctx context.Context, then act.Then) { m.news.Send(ctx, then) }, Start: m.o.Helm,
	}
}

// newDesk returns the parts of the dashboard that actions on other voyages use.
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
