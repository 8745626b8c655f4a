package sailform

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"ocaptain/theme"
	"ocaptain/ui/dash/pane"
	"ocaptain/ui/launch"
)

// The measures of the form, in cells.
const (
	wide   = 78 // the box, where there is room
	label  = 12
	indent = 3 + label // where values begin
)

// noBreak is a hyphen at which no line is broken.
const noBreak = "\u2011"

// body is what is drawn, with where the field at hand is.
type body struct {
	form        *Form
	width       int
	rows        []string
	start, end  int // rows of the field at hand
	cursor      *tea.Cursor
	cursorBelow int // row of the cursor
}

// View draws the form, and scrolls to the field at hand where the screen is too low for it.
func (f *Form) View(width, height int) ([]string, *tea.Cursor) {
	w := max(10, min(wide, width-2))
	b := &body{form: f, width: w - 2}
	b.drawFields()
	rows := max(1, min(len(b.rows), height-2))
	f.first = pane.Scroll(f.first, b.end-1, len(b.rows), rows)
	f.first = pane.Scroll(f.first, b.start, len(b.rows), rows)
	foot := ""
	if rows < len(b.rows) {
		foot = fmt.Sprintf("%d–%d of %d", f.first+1, f.first+rows, len(b.rows))
	}
	cursor := b.cursor
	if cursor != nil {
		cursor.X += 1 + indent
		cursor.Y += 1 + b.cursorBelow - f.first
		if cursor.Y < 1 || cursor.Y > rows {
			cursor = nil
		}
	}
	return pane.Box{Title: "Set sail", Foot: foot, Focused: true}.Draw(b.rows[f.first:f.first+rows], w, rows+2), cursor
}

// drawFields puts all fields below each other.
func (b *body) drawFields() {
	f := b.form
	b.addGap()
	b.drawField(atPlan, func() {
		b.drawText(atPlan, "Plan", f.plan.Draw)
		b.judgement()
		b.problems(atPlan)
		if f.at == atPlan {
			b.drawPlans()
		}
	})
	b.addGap()
	b.drawField(atShips, func() {
		b.drawValue(atShips, "Ships", b.number(), b.sourceText(f.ships, f.preview.Ships.From))
		b.problems(atShips)
	})
	b.drawField(atProvider, func() {
		b.choice(atProvider, "Provider", f.provider, f.preview.Provider)
		b.problems(atProvider)
	})
	b.drawField(atAgent, func() {
		b.choice(atAgent, "Agent", f.agent, f.preview.Agent)
		b.problems(atAgent)
	})
	b.drawField(atRepo, func() {
		b.drawText(atRepo, "Repository", f.repo.Draw)
		b.problems(atRepo)
	})
	b.drawField(atModel, func() {
		b.drawText(atModel, "Model", f.model.Draw)
		b.problems(atModel)
	})
	b.drawField(atMaxAge, func() {
		b.drawText(atMaxAge, "Max age", f.maxAge.Draw)
		b.problems(atMaxAge)
	})
	b.drawField(atSink, func() {
		b.choice(atSink, "Sink when", f.sink, f.preview.Sink)
		b.problems(atSink)
	})
	b.addGap()
	b.consent()
	b.problems(atSail)
	b.buttons()
	b.addGap()
}

// drawField draws a field and remembers where it is when it is the one at hand.
func (b *body) drawField(at field, draw func()) {
	start := len(b.rows)
	draw()
	if b.form.at == at {
		b.start, b.end = start, len(b.rows)
	}
}

func (b *body) addGap() { b.rows = append(b.rows, "") }

// fieldLabel is what stands before a value: a mark at the field at hand, and the label.
func (b *body) fieldLabel(at field, name string) string {
	if b.form.at == at {
		return " " + theme.Accent.Render("›") + " " + theme.PaneTitleFocused.Render(pane.Fit(name, label))
	}
	return "   " + theme.Dim.Render(pane.Fit(name, label))
}

// drawValue draws a field in one row; side, which says where the value comes from, is on the right.
func (b *body) drawValue(at field, name, value, side string) {
	room := b.width - indent - 1
	if ansi.StringWidth(value)+2+ansi.StringWidth(side) > room {
		side = ""
	}
	row := b.fieldLabel(at, name) + pane.Fit(value, max(0, room-ansi.StringWidth(side)))
	b.rows = append(b.rows, row+theme.Dim.Render(side))
}

// choice draws a field with words of which one holds, in as many rows as they need.
func (b *body) choice(at field, name string, c choice, holds launch.Choice) {
	room := b.width - indent - 1
	var rows []string
	for _, o := range b.options(c, holds.Value, b.form.at == at) {
		last := len(rows) - 1
		if last < 0 || ansi.StringWidth(rows[last])+2+ansi.StringWidth(o) > room {
			rows = append(rows, o)
			continue
		}
		rows[last] += "  " + o
	}
	for i, row := range rows {
		if i == 0 {
			b.drawValue(at, name, row, b.sourceText(c.chosen, holds.From))
			continue
		}
		b.rows = append(b.rows, strings.Repeat(" ", indent)+pane.Fit(row, room))
	}
}

// drawText draws a field that text is typed into.
func (b *body) drawText(at field, name string, draw func(int) (string, *tea.Cursor)) {
	room := max(2, b.width-indent-1)
	text, cursor := draw(room)
	if b.form.at == at {
		b.cursor, b.cursorBelow = cursor, len(b.rows)
	}
	b.rows = append(b.rows, b.fieldLabel(at, name)+pane.Fit(text, room))
}

// drawBelow writes wrapped text in the column of the values, in that style, with a mark before
// its first row. Of long text most rows are shown.
func (b *body) drawBelow(mark string, style func(...string) string, text string, most int) {
	room := b.width - indent - 3
	text = ansi.Wrap(strings.ReplaceAll(text, "-", noBreak), max(1, room), "") // a command must not end in half a name
	rows := strings.Split(strings.ReplaceAll(text, noBreak, "-"), "\n")
	if len(rows) > most {
		rows = rows[:most]
		rows[most-1] = ansi.Truncate(strings.TrimRight(rows[most-1], " "), max(1, room-1), "") + "…"
	}
	for i, row := range rows {
		if i > 0 {
			mark = " "
		}
		b.rows = append(b.rows, strings.Repeat(" ", indent)+style(mark+" "+row))
	}
}

// Keys says which keys the field at hand takes.
func (f *Form) Keys() [][2]string {
	keys := [][2]string{}
	switch f.at {
	case atPlan:
		keys = append(keys, [2]string{"↑ ↓", "choose a plan"})
	case atShips:
		keys = append(keys, [2]string{"+ -", "more, fewer"})
	case atProvider:
		keys = append(keys, [2]string{"← →", "choose"}, [2]string{"= ,", "several: sprites=3,hosts=2"})
	case atAgent, atSink:
		keys = append(keys, [2]string{"← →", "choose"})
	case atWalls:
		keys = append(keys, [2]string{"space", "agree or not"})
	case atSail:
		return [][2]string{{"enter", "sail"}, {"tab", "next"}, {"esc", "close"}}
	case atCancel:
		return [][2]string{{"enter", "close"}, {"tab", "next"}, {"esc", "close"}}
	}
	return append(keys, [2]string{"tab", "next"}, [2]string{"ctrl-s", "sail"}, [2]string{"esc", "close"})
}
