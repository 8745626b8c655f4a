package live

import (
	"bytes"
	"context"
	"fmt"
	"strconv"

	"ocaptain/fleet/link"
	"ocaptain/fleet/provision"
	"ocaptain/ui/term"
)

// Limits of the fetched history.
const (
	historyRows  = 10_000
	historyBytes = 8 << 20
)

// historyScript prints the window's size and its history, at most the newest part.
const historyScript = `tmux -L "$1" display-message -p -t =ship: '#{window_width}x#{window_height}' &&
tmux -L "$1" -u capture-pane -p -e -N -S "-$2" -t =ship: | tail -c "$3"`

// fetchHistory fetches the history of the ship's terminal.
func (s *session) fetchHistory(ctx context.Context) error {
	past, err := s.history(ctx)
	s.mu.Lock()
	if s.fetching { // otherwise the captain has returned to the live view
		s.past, s.fetching = past, false
	}
	s.mu.Unlock()
	s.views.changed()
	return err
}

func (s *session) history(ctx context.Context) (*term.Screen, error) {
	l, release, err := s.borrow(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	out, err := l.Run(ctx, link.Command{
		Argv:      []string{"/bin/sh", "-c", historyScript, "history", provision.Tmux, strconv.Itoa(historyRows), strconv.Itoa(historyBytes)},
		MaxOutput: historyBytes + 100,
	})
	if err != nil {
		return nil, fmt.Errorf("history: %w", err)
	}
	first, rest, _ := bytes.Cut(out.Stdout, []byte("\n"))
	n, ok := parseSize(string(bytes.TrimSpace(first)))
	if !ok {
		return nil, fmt.Errorf("%s: history: its answer makes no sense", s.ship)
	}
	past := term.New(n.cols, n.rows, historyRows)
	_, _ = past.Write([]byte("\x1b[?7l")) // cut off long lines
	for line := range bytes.Lines(bytes.TrimRight(rest, "\n")) {
		line, more := bytes.CutSuffix(line, []byte("\n"))
		_, _ = past.Write(line)
		if more {
			_, _ = past.Write([]byte("\x1b[m\r\n"))
		}
	}
	return past, nil
}

// ScrollBy moves the view n rows up into the ship's history; negative n is down. If the history
// must be fetched first, it returns a function for that, which waits and may run in another
// goroutine.
func (p *Pane) ScrollBy(n int) (fetch func(context.Context) error) {
	s := p.session
	s.mu.Lock()
	defer s.mu.Unlock()
	p.back = min(max(0, p.back+n), historyRows+biggest.rows)
	if s.past != nil {
		p.back = min(p.back, maxScroll(s.past, p.height))
	}
	switch {
	case p.back == 0:
		s.past, s.fetching = nil, false
	case s.past == nil && !s.fetching:
		s.fetching = true
		return s.fetchHistory
	}
	return nil
}

// IsScrolled reports whether the pane shows the ship's history.
func (p *Pane) IsScrolled() bool { return p.back > 0 }

// Bottom returns to the live view, and reports whether the pane was scrolled.
func (p *Pane) Bottom() bool {
	was := p.back > 0
	p.back = 0
	p.session.mu.Lock()
	p.session.past, p.session.fetching = nil, false
	p.session.mu.Unlock()
	return was
}

// maxScroll returns how many rows up a view of this height can scroll.
func maxScroll(past *term.Screen, height int) int {
	cols, rows := past.Size()
	return max(0, past.History()+usedRows(past, cols, rows)-height)
}

// history draws the view scrolled by p.back; the caller holds the session's lock.
func (p *Pane) history(past *term.Screen, width, height int) []string {
	cols, rows := past.Size()
	p.back = max(0, min(p.back, maxScroll(past, height)))
	last := usedRows(past, cols, rows) - p.back // the row below the view
	out := make([]string, height)
	var buf []byte
	to := min(width, cols)
	for i := range out {
		buf = buf[:0]
		if y := last - height + i; y >= -past.History() && y < rows {
			buf = past.AppendRow(buf, y, 0, to)
		}
		out[i] = padRow(buf, to, width)
	}
	return out
}

// padRow pads a row from has to width cells.
func padRow(row []byte, has, width int) string {
	if len(row) == 0 {
		has = 0
	}
	return string(append(row, bytes.Repeat([]byte{' '}, width-has)...))
}
