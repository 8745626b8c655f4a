// Package toast holds the messages to the captain: new messages are on the screen for a while, and all are kept.
package toast

import (
	"slices"
	"strings"
	"time"

	"charm.land/lipgloss/v2"

	"ocaptain/fleet/clean"
	"ocaptain/theme"
	"ocaptain/ui/dash/pane"
	"ocaptain/ui/words"
)

// Level is the importance of a message.
type Level int

// The levels of messages.
const (
	Going Level = iota // an action is under way
	Good
	Warn
	Need // a need has arisen
	Bad
)

// Message is a message that is kept.
type Message struct {
	At    time.Time
	Level Level
	Text  string // may have several lines
}

// Toast is a message on the screen.
type Toast struct {
	Message
	until time.Time // zero while the message's action is under way
	job   int       // job of the message, 0 for none
}

// List holds all messages. Its zero value has none.
type List struct {
	Shown   []Toast
	History []Message
}

// most is how many messages are kept.
const most = 1000

// Say shows a message for a while and keeps it.
func (l *List) Say(now time.Time, level Level, text string) {
	if n := len(l.Shown); n > 0 && l.Shown[n-1].job == 0 && l.Shown[n-1].Level == level && l.Shown[n-1].Text == cleaned(text) {
		l.Shown[n-1].until = now.Add(level.lasting()) // the same text again, as for each of many keys
		return
	}
	l.Keep(now, level, text)
	l.Shown = append(l.Shown, Toast{Message: l.History[len(l.History)-1], until: now.Add(level.lasting())})
	l.Shown = l.Shown[max(0, len(l.Shown)-4):]
}

// Keep keeps a message without showing it.
func (l *List) Keep(at time.Time, level Level, text string) {
	l.History = append(l.History, Message{at, level, cleaned(text)})
	l.History = l.History[max(0, len(l.History)-most):]
}

// Sort puts messages that were kept late into their places.
func (l *List) Sort() {
	slices.SortStableFunc(l.History, func(a, b Message) int { return a.At.Compare(b.At) })
}

// Begin shows that a job is under way.
func (l *List) Begin(now time.Time, job int, text string) {
	l.Shown = append(l.Shown, Toast{Message: Message{now, Going, clean.Line(text)}, job: job})
}

// Change shows the progress of a job.
func (l *List) Change(job int, text string) {
	for i := range l.Shown {
		if l.Shown[i].job == job {
			l.Shown[i].Text = clean.Line(text)
		}
	}
}

// End removes a job's message from the screen.
func (l *List) End(job int) {
	l.Shown = slices.DeleteFunc(l.Shown, func(t Toast) bool { return t.job == job })
}

// Expire removes messages from the screen whose time is over.
func (l *List) Expire(now time.Time) {
	l.Shown = slices.DeleteFunc(l.Shown, func(t Toast) bool { return !t.until.IsZero() && !now.Before(t.until) })
}

// Draw draws the messages over the lower right corner of a screen of that width.
func (l *List) Draw(rows []string, width int) {
	bottom := len(rows) - 1 // the footer stays visible
	w := max(20, min(64, width*2/3))
	for _, t := range slices.Backward(l.Shown) {
		glyph, style := t.Level.look()
		lines := words.Wrap(t.Text, w-6)
		if len(lines) > 4 {
			lines = append(lines[:3], "… @ shows all")
		}
		body := make([]string, len(lines))
		for j, line := range lines {
			head := "  "
			if j == 0 {
				head = style.Render(glyph) + " "
			}
			body[j] = " " + head + theme.Plain.Render(line)
		}
		box := pane.Box{}.Draw(body, w, len(body)+2)
		bottom -= len(box)
		if bottom < 1 {
			return
		}
		pane.Overlay(rows, box, width-w-1, bottom)
	}
}

// Lines returns all messages so far, as rows.
func (l *List) Lines() []string {
	var lines []string
	for _, m := range l.History {
		glyph, style := m.Level.look()
		for i, line := range words.Wrap(m.Text, 80) {
			head := strings.Repeat(" ", 11)
			if i == 0 {
				head = theme.Dim.Render(m.At.Local().Format("15:04:05")) + " " + style.Render(glyph) + " "
			}
			lines = append(lines, head+line)
		}
	}
	if len(lines) == 0 {
		lines = []string{theme.Dim.Render("○ nothing has happened yet")}
	}
	return lines
}

// look returns the glyph and the style of a level.
func (l Level) look() (string, lipgloss.Style) {
	switch l {
	case Good:
		return theme.Yes.Glyph, theme.Good
	case Warn:
		return theme.Warn.Glyph, theme.Warn.Style
	case Need:
		return "▲", theme.Needs
	case Bad:
		return theme.No.Glyph, theme.Bad
	}
	return theme.Going.Glyph, theme.Dim
}

// lasting returns how long a message of a level is shown.
func (l Level) lasting() time.Duration {
	switch l {
	case Bad, Need:
		return 12 * time.Second
	case Warn:
		return 8 * time.Second
	}
	return 4 * time.Second
}

// cleaned makes a text fit to be shown; it replaces tabs, which have no width of their own.
func cleaned(text string) string {
	return strings.ReplaceAll(clean.Text(strings.TrimSpace(text)), "\t", " ")
}
