package dash

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"ocaptain/fleet"
	"ocaptain/fleet/follow"
	"ocaptain/fleet/need"
	"ocaptain/fleet/retry"
	"ocaptain/ui/dash/act"
	"ocaptain/ui/dash/agentpane"
	"ocaptain/ui/dash/attention"
	"ocaptain/ui/dash/connection"
	"ocaptain/ui/dash/feed"
	"ocaptain/ui/dash/live"
	"ocaptain/ui/dash/logpane"
	"ocaptain/ui/dash/taskpane"
	logbook "ocaptain/ui/logs"
)

// voyage is everything that the dashboard holds of the voyage that it shows.
type voyage struct {
	dir    fleet.Dir
	board  *fleet.Board // never nil
	loaded bool
	needs  *attention.Needs // never nil
	away   need.Away        // whether helm was away when the needs were computed
	failed string           // why the board cannot be read
	counts bool             // the changes of dispatches are being counted
	drawn  chan struct{}    // closed once the screen shows the board, or that there is none

	agents *agentpane.Pane
	tasks  *taskpane.Pane
	logs   *logpane.Pane
	views  *live.Views
	stop   context.CancelFunc
}

// close ends the feeds of a voyage.
func (v *voyage) close() {
	v.stop()
	v.views.Close()
}

// open shows another voyage, whose board comes with the first news.
func (m *Model) open(d fleet.Dir) {
	if m.v != nil {
		m.v.close()
	}
	ctx, stop := context.WithCancel(m.ctx)
	v := &voyage{
		dir: d, stop: stop, board: &fleet.Board{}, needs: &attention.Needs{}, drawn: make(chan struct{}),
		agents: agentpane.New(), tasks: taskpane.New(), logs: logpane.New(),
	}
	v.views = live.New(m.o.Hub, d, m.helm.Running, func() { m.news.Send(ctx, framesMsg{v}) })
	v.views.Predict = m.o.Predict
	m.begin(v)
	m.news.Run(func() { m.followBoard(ctx, v) })
	m.news.Run(func() {
		err := logbook.IndexVoyage(ctx, d, func(b logbook.Batch) {
			m.news.Send(ctx, logsMsg{v: v, batch: b})
			select {
			case <-v.drawn: // reading a long past must not delay the first screen
			case <-ctx.Done():
			}
		})
		if err != nil && ctx.Err() == nil {
			m.news.Send(ctx, logsMsg{v: v, err: err})
		}
	})
}

// begin replaces the shown voyage by another, or by none: no key may act on the one before.
func (m *Model) begin(v *voyage) {
	m.v, m.place, m.pages = v, home, pages{}
	m.typing, m.number, m.filter = "", "", nil
	m.calls, m.overAt = calls{}, time.Time{}
}

// ship finds a ship by its name, nil when there is none.
func (v *voyage) ship(name string) *fleet.ShipView {
	for i := range v.board.Ships {
		if v.board.Ships[i].Name == name {
			return &v.board.Ships[i]
		}
	}
	return nil
}

// followBoard sends the model every board of a voyage. When the board cannot be read, it reports that and tries
// again, less and less often.
func (m *Model) followBoard(ctx context.Context, v *voyage) {
	pauses := retry.Doubling(500*time.Millisecond, 30*time.Second)
	for ctx.Err() == nil {
		err := follow.Board(ctx, v.dir, func(b fleet.Board) error {
			pauses.Reset()
			m.news.Send(ctx, boardMsg{v: v, board: &b})
			return nil
		})
		m.news.Send(ctx, boardMsg{v: v, err: err})
		_ = retry.Sleep(ctx, pauses.NextBackOff())
	}
}

type (
	// boardMsg is a board, or why none could be read.
	boardMsg struct {
		v     *voyage
		board *fleet.Board
		err   error
	}
	// logsMsg is new log lines.
	logsMsg struct {
		v     *voyage
		batch logbook.Batch
		err   error // why no more lines will come
	}
	// framesMsg says that a live view has something new to show.
	framesMsg struct{ v *voyage }
	// helmMsg is the state of helm.
	helmMsg connection.State
)

// take handles one piece of news.
func (m *Model) take(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case boardMsg:
		if msg.v != m.v {
			return nil
		}
		m.now = m.o.Now()
		if msg.err != nil {
			m.v.failed = msg.err.Error()
			m.v.agents.SetError(m.v.failed)
			return m.v.begin(m.collect)
		}
		return m.setBoard(msg.board)
	case logsMsg:
		switch {
		case msg.v != m.v:
		case msg.err != nil:
			m.v.logs.ShowError(msg.err)
		default:
			m.v.logs.AddBatch(msg.batch)
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
	v.board, v.loaded, v.failed = b, true, ""
	needs := m.lookAgain()
	v.agents.SetBoard(v.board, needs)
	m.tiles().Select(tile)
	v.tasks.SetBoard(v.board, m.now)
	v.tasks.SetNeeds(needs)
	v.views.SetBoard(v.board)
	m.hear()
	return tea.Batch(m.attend(), v.begin(m.collect), m.measure(), m.readCosts(), m.readDiscoveries(), m.readTrees())
}
