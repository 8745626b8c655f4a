package dialog

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"ocaptain/fleet/clean"
	"ocaptain/theme"
	"ocaptain/ui/dash/pane"
)

// Item is an entry of a List.
type Item struct {
	Line  string
	Lines func(width int) []string // the whole text, clean and styled
	Does  string                   // what enter does
	Do    func() tea.Cmd
}

// List is a dialog with a row for each item, and the whole text of the selected one below.
type List struct {
	title     string
	items     []Item
	at, first int
}

// NewList lists items, which must not be empty.
func NewList(title string, items []Item) *List {
	for i := range items {
		items[i].Line = clean.Line(items[i].Line)
	}
	return &List{title: title, items: items}
}

// Update moves the selection, or runs the selected item's action.
func (l *List) Update(msg tea.Msg) (bool, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.MouseWheelMsg:
		l.moveBy(map[bool]int{true: -1, false: 1}[msg.Button == tea.MouseWheelUp])
	case tea.KeyPressMsg:
		switch msg.String() {
		case "esc", "q":
			return true, nil
		case "enter":
			return true, l.items[l.at].Do()
		case "j", "down", "!":
			l.moveBy(1)
		case "k", "up":
			l.moveBy(-1)
		case "g", "home":
			l.at = 0
		case "G", "end":
			l.at = len(l.items) - 1
		}
	}
	return false, nil
}

func (l *List) moveBy(n int) { l.at = max(0, min(l.at+n, len(l.items)-1)) }

// View draws the rows, and the selected item.
func (l *List) View(width, height int) ([]string, *tea.Cursor) {
	const below = 9
	w := widest(110, width)
	rows := max(1, min(len(l.items), height-3-below))
	l.first = pane.Scroll(l.first, l.at, len(l.items), rows)
	var body []string
	for i := l.first; i < l.first+rows; i++ {
		row := pane.Fit(" "+theme.Needs.Render("▲")+" "+theme.Plain.Render(l.items[i].Line), w-2)
		if i == l.at {
			row = pane.Highlight(row, true)
		}
		body = append(body, row)
	}
	body = append(body, theme.Border.Render(repeat("─", w-2)))
	room := max(0, min(below, height-2-len(body)))
	for _, row := range pane.FitRows(l.items[l.at].Lines(w-4), w-4, room) {
		body = append(body, " "+row)
	}
	return drawBox(l.title, fmt.Sprintf("%d of %d", l.at+1, len(l.items)), body, w), nil
}

// Keys lists the keys of the dialog.
func (l *List) Keys() [][2]string {
	return [][2]string{{"j k", "move"}, {"enter", l.items[l.at].Does}, esc}
}
