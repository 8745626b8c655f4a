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

// What is fetched of a ship's history at the most.
const (
	historyRows  = 10_000
	historyBytes = 8 << 20
)

// historyScript prints the window's size and what it showed, the newest part when that is too much.
const historyScript = `tmux -L "$1" display-message -p -t =ship: '#{window_width}x#{window_height}' &&
tmux -L "$1" -u capture-pane -p -e -N -S "-$2" -t =ship: | tail -c "$3"`

// fetchHistory fetches what the ship's terminal showed before.
func (s *session) fetchHistory(ctx context.Context) error {
	past, err := s.history(ctx)
	s.mu.Lock()
	if s.fetching { // otherwise the captain went back to the live view meanwhile
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
	_, _ = past.Write([]byte("\x1b[?7l")) // a line that is too long is cut
	for line := range bytes.Lines(bytes.TrimRight(rest, "\n")) {
		line, more := bytes.CutSuffix(line, []byte("\n"))
		_, _ = past.Write(line)
		if more {
			_, _ = past.Write([]byte("\x1b[m\r\n"))
		}
	}
	return past, nil
}

// ScrollBy moves so many rows up into what the ship showed before; negative ones are down. When
// that has to be fetched first, it returns what does so; it waits, and may run beside the
// goroutine that draws.
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

// IsScrolled reports whether the pane shows what the ship has shown before.
func (p *Pane) IsScrolled() bool { return p.back > 0 }

// Bottom returns to what the ship shows now, and tells whether something else was shown.
func (p *Pane) Bottom() bool {
	was := p.back > 0
	p.back = 0
	p.session.mu.Lock()
	p.session.past, p.session.fetching = nil, false
	p.session.mu.Unlock()
	return was
}

// maxScroll is how far up a view of that height can go.
func maxScroll(past *term.Screen, height int) int {
	cols, rows := past.Size()
	return max(0, past.History()+usedRows(past, cols, rows)-height)
}

// history draws the rows that are so far up; the session is locked.
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

// padRow makes a row of width cells of one that has some, or is empty.
func padRow(row []byte, has, width int) string {
	if len(row) == 0 {
		has = 0
	}
	return string(append(row, bytes.Repeat([]byte{' '}, width-has)...))
}
