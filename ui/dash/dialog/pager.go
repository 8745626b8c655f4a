package dialog

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"ocaptain/ui/dash/pane"
)

// Pager shows lines that may be more than fit: the help, the history of messages.
type Pager struct {
	title string
	lines []string // clean and styled, no wider than they may be
	want  int      // how wide it would like to be
	first int
	rows  int
}

// NewPager shows lines; end begins at the last of them.
func NewPager(title string, lines []string, want int, end bool) *Pager {
	p := &Pager{title: title, lines: lines, want: want, rows: 1}
	if end {
		p.first = len(lines)
	}
	return p
}

// Update scrolls.
func (p *Pager) Update(msg tea.Msg) (bool, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.MouseWheelMsg:
		p.first += map[bool]int{true: -3, false: 3}[msg.Button == tea.MouseWheelUp]
	case tea.KeyPressMsg:
		switch msg.String() {
		case "esc", "q", "?", "@", "enter":
			return true, nil
		case "j", "down":
			p.first++
		case "k", "up":
			p.first--
		case "ctrl+d", "pgdown", "space":
			p.first += p.rows / 2
		case "ctrl+u", "pgup":
			p.first -= p.rows / 2
		case "g", "home":
			p.first = 0
		case "G", "end":
			p.first = len(p.lines)
		}
	}
	return false, nil
}

// View draws the lines.
func (p *Pager) View(width, height int) ([]string, *tea.Cursor) {
	w := widest(p.want, width)
	p.rows = max(1, min(len(p.lines), height-4))
	p.first = max(0, min(p.first, len(p.lines)-p.rows))
	body := make([]string, 0, p.rows)
	for _, l := range p.lines[p.first:min(len(p.lines), p.first+p.rows)] {
		body = append(body, " "+pane.Fit(l, w-4))
	}
	foot := ""
	if p.rows < len(p.lines) {
		foot = fmt.Sprintf("%d–%d of %d", p.first+1, p.first+p.rows, len(p.lines))
	}
	return drawBox(p.title, foot, body, w), nil
}

// Keys says which keys it takes.
func (p *Pager) Keys() [][2]string { return [][2]string{{"j k", "scroll"}, esc} }

func repeat(s string, n int) string { return strings.Repeat(s, max(0, n)) }
