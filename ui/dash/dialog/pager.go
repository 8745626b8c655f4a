package dialog

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/charmbracelet/x/ansi"

	"ocaptain/ui/dash/pane"
)

// Pager is a dialog with lines to scroll: the help, the history of messages.
type Pager struct {
	title string
	lines []string // clean and styled
	want  int      // preferred width
	hang  int      // indentation in cells of the rest of a wrapped line; 0 cuts long lines
	shown []string // the lines, wrapped or cut to width
	width int
	first int
	rows  int
}

// NewPager shows lines; with end it begins at the last line.
func NewPager(title string, lines []string, want int, end bool) *Pager {
	p := &Pager{title: title, lines: lines, want: want, rows: 1}
	if end {
		p.first = len(lines)
	}
	return p
}

// Wrap makes the pager wrap long lines between words, and indent the rest of each by hang cells.
func (p *Pager) Wrap(hang int) *Pager {
	p.hang = hang
	return p
}

// fit wraps or cuts the lines to width.
func (p *Pager) fit(width int) {
	if p.width == width {
		return
	}
	p.width, p.shown = width, p.lines
	if p.hang == 0 || width < 2*p.hang {
		return
	}
	p.shown = nil
	for _, l := range p.lines {
		head, rest := ansi.Truncate(l, p.hang, ""), ansi.TruncateLeft(l, p.hang, "")
		for i, row := range strings.Split(ansi.Wordwrap(rest, width-p.hang, ""), "\n") {
			if i > 0 {
				head = repeat(" ", p.hang)
			}
			p.shown = append(p.shown, head+row)
		}
	}
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
			p.first = len(p.shown)
		}
	}
	return false, nil
}

// View draws the lines.
func (p *Pager) View(width, height int) ([]string, *tea.Cursor) {
	w := widest(p.want, width)
	p.fit(w - 4)
	p.rows = max(1, min(len(p.shown), height-4))
	p.first = max(0, min(p.first, len(p.shown)-p.rows))
	body := make([]string, 0, p.rows)
	for _, l := range p.shown[p.first:min(len(p.shown), p.first+p.rows)] {
		body = append(body, " "+pane.Fit(l, w-4))
	}
	foot := ""
	if p.rows < len(p.shown) {
		foot = fmt.Sprintf("%d–%d of %d", p.first+1, p.first+p.rows, len(p.shown))
	}
	return drawBox(p.title, foot, body, w), nil
}

// Keys lists the keys of the dialog.
func (p *Pager) Keys() [][2]string { return [][2]string{{"j k", "scroll"}, esc} }

func repeat(s string, n int) string { return strings.Repeat(s, max(0, n)) }
