// Package shown is the voyage that the dashboard shows: its newest board, its panes, and the feeds that bring news of it.
package shown

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"ocaptain/fleet"
	"ocaptain/fleet/follow"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/need"
	"ocaptain/fleet/retry"
	"ocaptain/ui/dash/act"
	"ocaptain/ui/dash/agentpane"
	"ocaptain/ui/dash/attention"
	"ocaptain/ui/dash/feed"
	"ocaptain/ui/dash/live"
	"ocaptain/ui/dash/logpane"
	"ocaptain/ui/dash/taskpane"
	logbook "ocaptain/ui/logs"
	"ocaptain/ui/term/predict"
)

// Voyage is everything that the dashboard holds of the voyage that it shows.
type Voyage struct {
	Dir    fleet.Dir
	Board  *fleet.Board // never nil
	Loaded bool
	Needs  *attention.Needs // never nil
	Away   need.Away        // whether helm was away when the needs were computed
	Failed string           // why the board cannot be read

	Agents *agentpane.Pane
	Tasks  *taskpane.Pane
	Logs   *logpane.Pane
	Views  *live.Views

	measuring bool          // the changes of dispatches are being counted
	filtering bool          // the logs are being filtered
	judged    chan struct{} // closed once the first board is in the panes, or it is known that there is none
	drawn     chan struct{} // closed once the screen shows that
	ctx       context.Context
	stop      context.CancelFunc
}

// Messages to the model.
type (
	// BoardMsg is a board, or why none could be read.
	BoardMsg struct {
		Of    *Voyage
		Board *fleet.Board
		Err   error
	}
	// LogsMsg is new log lines.
	LogsMsg struct {
		Of    *Voyage
		Batch logbook.Batch
		Err   error // why no more lines will come
	}
	// FramesMsg says that a live view has something new to show.
	FramesMsg struct{ Of *Voyage }
)

// Options says how a voyage is shown.
type Options struct {
	Hub     fleet.Hub
	News    *feed.Feed                                 // gets the messages
	Client  func(context.Context) (*api.Client, error) // waits for a running helm
	Predict predict.Mode
}

// Open shows a voyage, whose board comes with the first message, until ctx ends or the voyage is closed.
func Open(ctx context.Context, d fleet.Dir, o Options) *Voyage {
	ctx, stop := context.WithCancel(ctx)
	v := &Voyage{
		Dir: d, ctx: ctx, stop: stop, Board: &fleet.Board{}, Needs: &attention.Needs{}, judged: make(chan struct{}), drawn: make(chan struct{}),
		Agents: agentpane.New(), Tasks: taskpane.New(), Logs: logpane.New(),
	}
	v.Views = live.New(o.Hub, d, o.Client, func() { o.News.Send(ctx, FramesMsg{v}) })
	v.Views.Predict = o.Predict
	o.News.Run(func() { v.followBoard(ctx, o.News) })
	o.News.Run(func() { v.readLogs(ctx, o.News) })
	return v
}

// Close ends the feeds, without waiting for them.
func (v *Voyage) Close() {
	v.stop()
	v.Views.Close()
}

// Ship finds a ship by its name, nil when there is none.
func (v *Voyage) Ship(name string) *fleet.ShipView {
	for i := range v.Board.Ships {
		if v.Board.Ships[i].Name == name {
			return &v.Board.Ships[i]
		}
	}
	return nil
}

// followBoard sends every board. When the board cannot be read, it reports that and tries again, less and less often.
func (v *Voyage) followBoard(ctx context.Context, news *feed.Feed) {
	pauses := retry.Doubling(500*time.Millisecond, 30*time.Second)
	for ctx.Err() == nil {
		err := follow.Board(ctx, v.Dir, func(b fleet.Board) error {
			pauses.Reset()
			news.Send(ctx, BoardMsg{Of: v, Board: &b})
			return nil
		})
		news.Send(ctx, BoardMsg{Of: v, Err: err})
		_ = retry.Sleep(ctx, pauses.NextBackOff())
	}
}

// readLogs sends all log lines. It must not delay the first screen: it reads the newest lines while the first board is drawn,
// and a long past once that screen is there.
func (v *Voyage) readLogs(ctx context.Context, news *feed.Feed) {
	select {
	case <-v.judged:
	case <-ctx.Done():
		return
	}
	err := logbook.IndexVoyage(ctx, v.Dir, func(b logbook.Batch) {
		news.Send(ctx, LogsMsg{Of: v, Batch: b})
		select {
		case <-v.drawn:
		case <-ctx.Done():
		}
	})
	if err != nil && ctx.Err() == nil {
		news.Send(ctx, LogsMsg{Of: v, Err: err})
	}
}

// Begin releases the work that waits for the first screen, and then calls collect, once that screen was drawn and had two frames to
// get to the terminal.
func (v *Voyage) Begin(collect func(), frame time.Duration) tea.Cmd {
	select {
	case <-v.judged:
		return nil
	default:
		close(v.judged)
	}
	return tea.Tick(2*frame, func(time.Time) tea.Msg {
		return act.Then(func() tea.Cmd {
			close(v.drawn)
			collect()
			return nil
		})
	})
}
