package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"ocaptain/ui/words"

	tea "charm.land/bubbletea/v2"
	"github.com/spf13/cobra"

	"ocaptain/fleet"
	"ocaptain/theme"
)

// watch is what ocaptain does without a command: it shows the voyage live.
func (b *bridge) watch(cmd *cobra.Command) error {
	dirs, err := fleet.Voyages(b.hub.Voyages).List()
	if err != nil {
		return err
	}
	if len(dirs) == 0 {
		return cmd.Help()
	}
	d, err := b.voyage("")
	if err != nil {
		return b.listVoyages(dirs, false)
	}
	if !b.live {
		board, err := fleet.ReadBoard(d)
		if err != nil {
			return err
		}
		writeStatus(b.out, board, b.now(), b.width)
		return nil
	}
	_, err = b.showLive(cmd.Context(), d, false)
	return err
}

// showLive fills the screen with the voyage until the captain quits, or, with untilOver,
// until the voyage is over; then it returns true.
func (b *bridge) showLive(ctx context.Context, d fleet.Dir, untilOver bool) (over bool, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	m := liveModel{dir: d, now: b.now}
	p := tea.NewProgram(m, tea.WithContext(ctx), tea.WithoutSignalHandler())
	fed := make(chan error, 2)
	go func() {
		fed <- fleet.FollowBoard(ctx, d, func(board fleet.Board) error {
			p.Send(board)
			if untilOver && board.Phase.Over() {
				over = true
				p.Quit()
			}
			return nil
		})
	}()
	go func() {
		q := logQuery{}
		ends, err := pastLines(ctx, d, q, mostLive, func(l logLine) error {
			p.Send([]logLine{l})
			return nil
		})
		if err == nil {
			err = followLogs(ctx, d, q, ends, func(batch []logLine) error {
				p.Send(batch)
				return nil
			})
		}
		fed <- err
	}()
	go func() {
		p.Send(warning(b.startHelm(ctx, d)))
	}()
	_, err = p.Run()
	cancel()
	feed := errors.Join(<-fed, <-fed)
	switch {
	case err != nil && ctx.Err() == nil:
		return false, err
	case errors.Is(feed, context.Canceled):
		return over, nil
	}
	return over, feed
}

// startHelm starts helm when ships are out and none runs, and says so.
func (b *bridge) startHelm(ctx context.Context, d fleet.Dir) string {
	board, err := fleet.ReadBoard(d)
	if err != nil {
		return ""
	}
	return b.freshness(ctx, board)
}

// mostLive is how many lines of the logs are kept.
const mostLive = 200

type (
	warning string
	tick    time.Time
)

// liveModel is the screen: the status of the voyage and, below, its newest log lines.
type liveModel struct {
	dir           fleet.Dir
	now           func() time.Time
	board         fleet.Board
	loaded        bool
	lines         []logLine
	warning       string
	width, height int
}

func everySecond() tea.Cmd {
	return tea.Tick(time.Second, func(t time.Time) tea.Msg { return tick(t) })
}

// Init starts the clock that the ages on the screen follow.
func (m liveModel) Init() tea.Cmd { return everySecond() }

// Update takes news and keys.
func (m liveModel) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.width, m.height = msg.Width, msg.Height
	case tea.KeyPressMsg:
		if msg.String() == "q" || msg.String() == "ctrl+c" {
			return m, tea.Quit
		}
	case fleet.Board:
		m.board, m.loaded = msg, true
	case []logLine:
		m.lines = slices.Concat(m.lines, msg)
		m.lines = m.lines[max(0, len(m.lines)-mostLive):]
	case warning:
		m.warning = string(msg)
	case tick:
		return m, everySecond()
	}
	return m, nil
}

// View draws the screen.
func (m liveModel) View() tea.View {
	var s strings.Builder
	if m.loaded {
		writeStatus(&s, m.board, m.now(), m.width)
	} else {
		fmt.Fprintln(&s, "reading "+m.dir.ID()+" …")
	}
	if m.warning != "" {
		fmt.Fprintln(&s, words.Fit(theme.Warn.Style.Render(theme.Warn.Glyph)+" "+m.warning, m.width))
	}
	rows := strings.Split(strings.TrimRight(s.String(), "\n"), "\n")
	rows = append(rows, "", theme.Dim.Render("LOG"))
	room := max(0, m.height-len(rows)-2)
	var log []string
	for _, l := range m.lines[max(0, len(m.lines)-room):] {
		log = append(log, strings.Split(l.shown(logQuery{}, true), "\n")...)
	}
	if len(log) == 0 {
		log = []string{theme.Dim.Render("nothing yet")}
	}
	for _, l := range log[max(0, len(log)-room):] {
		rows = append(rows, words.Fit(l, m.width))
	}
	rows = rows[:min(len(rows), max(1, m.height-2))]
	for len(rows) < m.height-1 {
		rows = append(rows, "")
	}
	rows = append(rows, theme.Key.Render("q")+theme.Dim.Render(" quit; ships sail on"))
	v := tea.NewView(strings.Join(rows, "\n"))
	v.AltScreen = true
	v.WindowTitle = "ocaptain " + m.dir.ID()
	return v
}
