package dash

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"ocaptain/fleet"
	"ocaptain/ui/dash/act"
	"ocaptain/ui/dash/connection"
	"ocaptain/ui/dash/feed"
	"ocaptain/ui/dash/logpane"
	"ocaptain/ui/dash/shown"
)

// open shows another voyage, whose board comes with the first news.
func (m *Model) open(d fleet.Dir) {
	if m.v != nil {
		m.v.Close()
	}
	m.begin(shown.Open(m.ctx, d, shown.Options{Hub: m.o.Hub, News: m.news, Client: m.helm.Running, Predict: m.o.Predict}))
}

// begin replaces the shown voyage by another, or by none: no key may act on the one before.
func (m *Model) begin(v *shown.Voyage) {
	m.v, m.place, m.page = v, home, nil
	m.typing, m.number, m.filter = "", logpane.ShipNumber{}, nil
	m.calls, m.overAt = calls{}, time.Time{}
}

// helmMsg is the state of helm.
type helmMsg connection.State

// take handles one piece of news.
func (m *Model) take(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case shown.BoardMsg:
		if msg.Of != m.v {
			return nil
		}
		m.now, m.early = m.o.Now(), false
		if msg.Err != nil {
			m.v.Failed = msg.Err.Error()
			m.v.Agents.SetError(m.v.Failed)
			return m.v.Begin(m.collect, time.Second/frames)
		}
		return m.setBoard(msg.Board)
	case shown.LogsMsg:
		switch {
		case msg.Of != m.v:
		case msg.Err != nil:
			m.v.Logs.ShowError(msg.Err)
		default:
			m.v.Logs.AddBatch(msg.Batch)
		}
	case helmMsg:
		return m.setHelm(connection.State(msg))
	case act.Then:
		return msg()
	case feed.Crash:
		panic(msg.String())
	}
	return nil
}

// setBoard shows a new board in all panes.
func (m *Model) setBoard(b *fleet.Board) tea.Cmd {
	v := m.v
	tile := ""
	if m.place == onWall {
		tile = m.shipName()
	}
	v.Board, v.Loaded, v.Failed = b, true, ""
	needs := m.lookAgain()
	v.Agents.SetBoard(v.Board, needs)
	m.tiles().Select(tile)
	v.Tasks.SetBoard(v.Board, m.now)
	v.Tasks.SetNeeds(needs)
	v.Views.SetBoard(v.Board)
	m.hear()
	return tea.Batch(m.attend(), v.Begin(m.collect, time.Second/frames), v.Measure(), m.reloadPage())
}
