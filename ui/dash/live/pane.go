package live

import (
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"ocaptain/fleet/clean"
	"ocaptain/theme"
	"ocaptain/ui/dash/pane"
	"ocaptain/ui/term"
)

// Pane is the live view of one ship. It belongs to the goroutine that draws.
type Pane struct {
	session *session
	crop    crop
	rows    rowCache
	back    int // rows between the view and the newest row; 0 is live
	width   int // of the body last drawn
	height  int
	cursor  *tea.Cursor // nil when it is not visible
	now     time.Time
}

// ShipName returns the ship's name as it is, not cleaned for the screen.
func (p *Pane) ShipName() string { return p.session.ship }

// Title returns the ship's name.
func (p *Pane) Title() string {
	return theme.ShipStyle(p.session.ship).Render(clean.Line(p.session.ship))
}

// SetNow sets the current time.
func (p *Pane) SetNow(now time.Time) { p.now = now }

// Info says whether the view is live.
func (p *Pane) Info() string {
	p.session.mu.Lock()
	st, has := p.session.status, p.session.screen != nil
	past := p.session.past
	p.session.mu.Unlock()
	switch {
	case p.back > 0 && past == nil:
		return theme.Dim.Render("◌ history is being fetched")
	case p.back > 0:
		return theme.Accent.Render("▲ history") + theme.Dim.Render(fmt.Sprintf(", %s up · G returns", countTries(p.back)))
	case st.state == live:
		return theme.Working.Render("● live") + p.crop.cropText()
	}
	return p.statusLine(st, has)
}

func countTries(n int) string {
	if n == 1 {
		return "1 line"
	}
	return fmt.Sprintf("%d lines", n)
}

// statusLine returns a status other than live in one line, without the reason.
func (p *Pane) statusLine(st status, frame bool) string {
	switch st.state {
	case absent:
		return theme.Dim.Render("○ not there")
	case barred:
		return theme.Bad.Render("✗ refused") + p.lastSeen(st, frame)
	case broken:
		return theme.Bad.Render(fmt.Sprintf("◌ reconnecting (%d)…", st.tries)) + p.lastSeen(st, frame)
	}
	return theme.Dim.Render("◌ connecting…")
}

func (p *Pane) lastSeen(st status, frame bool) string {
	if !frame || st.seen.IsZero() {
		return ""
	}
	layout := "15:04:05"
	if !p.now.IsZero() && p.now.Sub(st.seen) > 12*time.Hour {
		layout = "2 Jan 15:04"
	}
	return theme.Dim.Render(" last seen " + st.seen.Local().Format(layout))
}

// View draws the ship's terminal, as far as it fits.
func (p *Pane) View(width, height int) []string {
	p.width, p.height, p.cursor = width, height, nil
	if width <= 0 || height <= 0 {
		return pane.FitRows(nil, width, height)
	}
	s := p.session
	s.mu.Lock()
	defer s.mu.Unlock()
	screen, st := s.screen, s.status
	switch {
	case p.back > 0 && s.past != nil:
		return p.history(s.past, width, height)
	case p.back > 0 && !s.fetching:
		p.back = 0 // the history could not be fetched, or was dropped
	}
	if screen == nil {
		return notice(p.explanation(st), width, height)
	}
	rows := p.picture(screen, width, height, st.state != live)
	if st.state == live {
		p.placeCursor(p.drawAhead(rows, screen))
	} else {
		note := p.statusLine(st, true)
		if st.why != "" {
			note += theme.Dim.Render(" · " + st.why)
		}
		rows[height-1] = pane.Fit(note, width)
	}
	return rows
}

// explanation says why there is nothing to see, and what comes next.
func (p *Pane) explanation(st status) []string {
	return []string{p.statusLine(st, false), theme.Plain.Render(st.why), theme.Dim.Render(st.next)}
}

// notice puts lines in the middle of an empty view.
func notice(lines []string, width, height int) []string {
	var some []string
	for _, l := range lines {
		if ansi.Strip(l) == "" {
			continue
		}
		if ansi.StringWidth(l) > width-2 {
			l = strings.Replace(l, ": ", ":\n", 1) // do not break the command
		}
		for part := range strings.SplitSeq(l, "\n") {
			for part := range strings.SplitSeq(ansi.Wordwrap(part, max(1, width-2), ""), "\n") {
				some = append(some, centred(part, width))
			}
		}
	}
	top := max(0, (height-len(some))/2)
	return pane.FitRows(append(make([]string, top), some...), width, height)
}

// Cursor returns the ship's cursor within the body; ok is false when it is not visible.
func (p *Pane) Cursor() (c *tea.Cursor, ok bool) { return p.cursor, p.cursor != nil && p.back == 0 }

// placeCursor sets where the cursor is in the view.
func (p *Pane) placeCursor(c term.Cursor) {
	x, y := c.X-p.crop.x, c.Y-p.crop.y
	if !c.Visible || x < 0 || y < 0 || x >= p.width || y >= p.height {
		return
	}
	p.cursor = tea.NewCursor(x, y)
	p.cursor.Blink = c.Blink
	switch c.Shape {
	case term.Bar:
		p.cursor.Shape = tea.CursorBar
	case term.UnderlineShape:
		p.cursor.Shape = tea.CursorUnderline
	}
}

// Click does nothing: the view sends no mouse events to the ship.
func (p *Pane) Click(int, int) {}

// IsLive reports whether the pane shows the ship's present screen.
func (p *Pane) IsLive() bool {
	p.session.mu.Lock()
	defer p.session.mu.Unlock()
	return p.session.stop != nil && p.session.status.state == live && p.back == 0
}
