package dash

import (
	"strings"
	"time"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"ocaptain/theme"
	"ocaptain/ui/clean"
	"ocaptain/ui/dash/dialog"
	"ocaptain/ui/dash/pane"
)

// level is how a message is meant.
type level int

// The levels of messages.
const (
	going level = iota // something is on its way
	good
	warn
	bad
)

// entry is a message that is kept.
type entry struct {
	at    time.Time
	level level
	text  string // may have several lines
}

// toast is a message on the screen.
type toast struct {
	entry
	until time.Time // zero for as long as its action is under way
	job   int       // that it belongs to, 0 for none
}

// most is how many messages are kept.
const most = 1000

// look is the glyph and the style of a level.
func (l level) look() (string, lipgloss.Style) {
	switch l {
	case good:
		return theme.Yes.Glyph, theme.Good
	case warn:
		return theme.Warn.Glyph, theme.Waiting
	case bad:
		return theme.No.Glyph, theme.Bad
	}
	return theme.Going.Glyph, theme.Dim
}

// say shows a message for a while and keeps it.
func (m *Model) say(l level, text string) cmd {
	if n := len(m.toasts); n > 0 && m.toasts[n-1].job == 0 && m.toasts[n-1].level == l && m.toasts[n-1].text == message(text) {
		m.toasts[n-1].until = m.o.Now().Add(lasting(l)) // said again, as for each of many keys
		return nil
	}
	e := m.keep(l, text)
	m.toasts = append(m.toasts, toast{entry: e, until: e.at.Add(lasting(l))})
	m.toasts = m.toasts[max(0, len(m.toasts)-4):]
	return nil
}

// keep keeps a message without showing it.
func (m *Model) keep(l level, text string) entry {
	e := entry{m.o.Now(), l, message(text)}
	m.history = append(m.history, e)
	m.history = m.history[max(0, len(m.history)-most):]
	return e
}

// message makes a text fit to be shown, as a tab is not: it has no width of its own.
func message(text string) string {
	return strings.ReplaceAll(clean.Text(strings.TrimSpace(text)), "\t", " ")
}

// lasting is how long a message of a level is shown.
func lasting(l level) time.Duration {
	switch l {
	case bad:
		return 12 * time.Second
	case warn:
		return 8 * time.Second
	}
	return 4 * time.Second
}

// dropToasts takes the messages away whose time is over.
func (m *Model) dropToasts() {
	var kept []toast
	for _, t := range m.toasts {
		if t.until.IsZero() || m.now.Before(t.until) {
			kept = append(kept, t)
		}
	}
	m.toasts = kept
}

// drawToasts puts the messages over the lower right corner.
func (m *Model) drawToasts(rows []string) {
	bottom := len(rows) - 1 // the footer stays
	w := max(20, min(64, m.width*2/3))
	for i := len(m.toasts) - 1; i >= 0; i-- {
		t := m.toasts[i]
		glyph, style := t.level.look()
		lines := strings.Split(ansi.Wrap(t.text, w-6, ""), "\n")
		if len(lines) > 4 {
			lines = append(lines[:3], "… @ shows all")
		}
		body := make([]string, len(lines))
		for j, l := range lines {
			head := "  "
			if j == 0 {
				head = style.Render(glyph) + " "
			}
			body[j] = " " + head + theme.Plain.Render(l)
		}
		box := pane.Box{}.Draw(body, w, len(body)+2)
		bottom -= len(box)
		if bottom < 1 {
			return
		}
		pane.Overlay(rows, box, m.width-w-1, bottom)
	}
}

// openHistory shows all messages so far.
func (m *Model) openHistory() cmd {
	var lines []string
	for _, e := range m.history {
		glyph, style := e.level.look()
		for i, l := range strings.Split(ansi.Wrap(e.text, 80, ""), "\n") {
			head := strings.Repeat(" ", 11)
			if i == 0 {
				head = theme.Dim.Render(e.at.Local().Format("15:04:05")) + " " + style.Render(glyph) + " "
			}
			lines = append(lines, head+l)
		}
	}
	if len(lines) == 0 {
		lines = []string{theme.Dim.Render("○ nothing has happened yet")}
	}
	m.show(dialog.NewPager("Messages", lines, 96, true))
	return nil
}
