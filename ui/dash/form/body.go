package form

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"ocaptain/fleet/clean"
	"ocaptain/theme"
	"ocaptain/ui/dash/pane"
	"ocaptain/ui/launch/problem"
	"ocaptain/ui/words"
)

// The measures of a form, in cells.
const (
	wide   = 78 // width of the box, if there is room
	label  = 12
	indent = 3 + label // column of the values
)

// MostRows is how many rows of one text are shown.
const MostRows = 3

// Body is the drawn form, and the place of the focused field in it.
type Body struct {
	At          Field // the focused field
	Rows        []string
	width       int
	start, end  int // rows of the focused field
	cursor      *tea.Cursor
	cursorBelow int // row of the cursor
}

// New returns an empty body for a screen of that width.
func New(at Field, screen int) *Body { return &Body{At: at, width: boxWidth(screen) - 2} }

func boxWidth(screen int) int { return max(10, min(wide, screen-2)) }

// Room returns how wide values may be.
func (b *Body) Room() int { return max(2, b.width-indent-1) }

// Box draws the body in its box, and scrolls to the focused field when the screen is too low. first is the first visible
// row.
func (b *Body) Box(title string, first *int, height int) ([]string, *tea.Cursor) {
	rows := max(1, min(len(b.Rows), height-2))
	*first = pane.Scroll(*first, b.end-1, len(b.Rows), rows)
	*first = pane.Scroll(*first, b.start, len(b.Rows), rows)
	foot := ""
	if rows < len(b.Rows) {
		foot = fmt.Sprintf("%d–%d of %d", *first+1, *first+rows, len(b.Rows))
	}
	cursor := b.cursor
	if cursor != nil {
		cursor.X += 1 + indent
		cursor.Y += 1 + b.cursorBelow - *first
		if cursor.Y < 1 || cursor.Y > rows {
			cursor = nil
		}
	}
	return pane.Box{Title: title, Foot: foot, Focused: true}.Draw(b.Rows[*first:*first+rows], b.width+2, rows+2), cursor
}

// Field draws a field, and remembers its place if it is focused.
func (b *Body) Field(at Field, draw func()) {
	start := len(b.Rows)
	draw()
	if b.At == at {
		b.start, b.end = start, len(b.Rows)
	}
}

// Gap adds an empty row.
func (b *Body) Gap() { b.Rows = append(b.Rows, "") }

// Indented adds a row in the column of the values.
func (b *Body) Indented(row string) { b.Rows = append(b.Rows, strings.Repeat(" ", indent)+row) }

// Label returns the text before a value: a mark at the focused field, and the label.
func (b *Body) Label(at Field, name string) string {
	if b.At == at {
		return " " + theme.Accent.Render("›") + " " + theme.PaneTitleFocused.Render(pane.Fit(name, label))
	}
	return "   " + theme.Dim.Render(pane.Fit(name, label))
}

// Value draws a field in one row; side, which says where the value comes from, is on the right.
func (b *Body) Value(at Field, name, value, side string) {
	room := b.width - indent - 1
	if ansi.StringWidth(value)+2+ansi.StringWidth(side) > room {
		side = ""
	}
	row := b.Label(at, name) + pane.Fit(value, max(0, room-ansi.StringWidth(side)))
	b.Rows = append(b.Rows, row+theme.Dim.Render(side))
}

// Choice draws a field with several words, one of them chosen, in as many rows as it needs.
func (b *Body) Choice(at Field, name string, c Choice, holds, side string) {
	room := b.width - indent - 1
	var rows []string
	for _, o := range options(c, holds, b.At == at) {
		last := len(rows) - 1
		if last < 0 || ansi.StringWidth(rows[last])+2+ansi.StringWidth(o) > room {
			rows = append(rows, o)
			continue
		}
		rows[last] += "  " + o
	}
	for i, row := range rows {
		if i == 0 {
			b.Value(at, name, row, side)
			continue
		}
		b.Rows = append(b.Rows, strings.Repeat(" ", indent)+pane.Fit(row, room))
	}
}

// Text draws a field for a text of one line.
func (b *Body) Text(at Field, name string, draw func(int) (string, *tea.Cursor)) {
	room := b.Room()
	text, cursor := draw(room)
	if b.At == at {
		b.cursor, b.cursorBelow = cursor, len(b.Rows)
	}
	b.Rows = append(b.Rows, b.Label(at, name)+pane.Fit(text, room))
}

// Area draws a field for a text of several lines.
func (b *Body) Area(at Field, name string, rows []string, cursor *tea.Cursor) {
	if b.At == at {
		b.cursor, b.cursorBelow = cursor, len(b.Rows)
	}
	for i, row := range rows {
		if row = pane.Fit(row, b.Room()); i == 0 {
			b.Rows = append(b.Rows, b.Label(at, name)+row)
			continue
		}
		b.Indented(row)
	}
}

// Below writes wrapped text in the column of the values, in that style, with a mark before its first row. It shows at
// most most rows.
func (b *Body) Below(mark string, style func(...string) string, text string, most int) {
	room := b.width - indent - 3
	rows := words.Wrap(text, room)
	if len(rows) > most {
		rows = rows[:most]
		rows[most-1] = ansi.Truncate(strings.TrimRight(rows[most-1], " "), max(1, room-1), "") + "…"
	}
	for i, row := range rows {
		if i > 0 {
			mark = " "
		}
		b.Rows = append(b.Rows, strings.Repeat(" ", indent)+style(mark+" "+row))
	}
}

// options draws the words of a choice, the chosen one highlighted.
func options(c Choice, holds string, focused bool) []string {
	if c.Chosen != "" {
		holds = c.Chosen
	}
	options := c.Options
	if holds != "" && !slices.Contains(options, holds) {
		options = append(slices.Clone(options), holds) // several providers, or an unknown provider
	}
	var all []string
	for _, o := range options {
		switch {
		case o != holds:
			all = append(all, theme.Dim.Render("○ "+o))
		case focused:
			all = append(all, theme.Accent.Render("● "+o))
		default:
			all = append(all, theme.Plain.Render("● "+o))
		}
	}
	return all
}

// Problem shows a problem at its field; nil is no problem.
func (b *Body) Problem(p *problem.Problem) {
	if p == nil {
		return
	}
	b.Below(theme.No.Glyph, theme.Bad.Render, clean.Line(p.Error()), MostRows)
	for _, line := range strings.Split(p.Hint, "\n") {
		if line != "" {
			b.Below(" ", theme.Dim.Render, clean.Line(line), MostRows)
		}
	}
}

// Agree draws a box that is checked when the captain agrees.
func (b *Body) Agree(at Field, name, what string, agreed bool) {
	box := "[ ]"
	if agreed {
		box = "[x]"
	}
	style := theme.Plain.Render
	if b.At == at {
		style = theme.Accent.Render
	}
	b.Rows = append(b.Rows, b.Label(at, name)+style(box+" "+what))
}

// Buttons draws the buttons that end a form, or what the form waits for.
func (b *Body) Buttons(do, cancel Field, name, doing string) {
	start := len(b.Rows)
	button := func(at Field, name string) string {
		if b.At == at {
			return theme.Selected.Render("[ " + name + " ]")
		}
		return theme.Plain.Render("[ " + name + " ]")
	}
	row := strings.Repeat(" ", indent) + button(do, name) + "  " + button(cancel, "Cancel")
	if doing != "" {
		room := max(0, b.width-ansi.StringWidth(row)-1)
		row += theme.Dim.Render(ansi.Truncate("  ◌ "+clean.Line(doing)+" …", room, "…"))
	}
	b.Rows = append(b.Rows, row)
	if b.At == do || b.At == cancel {
		b.start, b.end = start, len(b.Rows)
	}
}
