package dialog

import (
	tea "charm.land/bubbletea/v2"

	"ocaptain/fleet/clean"
	"ocaptain/theme"
	"ocaptain/ui/words"
)

// Ask is a dialog that takes a line of text.
type Ask struct {
	title string
	lines []string
	input inputLine
	wrong string // what is wrong with the last answer
	take  func(text string) (tea.Cmd, error)
}

// NewAsk asks for a line under the title, which first is text. take says what is wrong with an answer, which the captain can then
// correct.
func NewAsk(title string, lines []string, text string, take func(text string) (tea.Cmd, error)) *Ask {
	a := &Ask{title: title, lines: lines, input: newLine(""), take: take}
	a.input.SetValue(text)
	a.input.CursorEnd()
	return a
}

// Update edits the line; enter takes the answer.
func (a *Ask) Update(msg tea.Msg) (bool, tea.Cmd) {
	if key, ok := msg.(tea.KeyPressMsg); ok {
		switch key.String() {
		case "esc":
			return true, nil
		case "enter":
			c, err := a.take(a.input.Value())
			if err != nil {
				a.wrong = clean.Line(err.Error())
			}
			return err == nil, c
		}
	}
	a.wrong = ""
	return false, a.input.update(msg)
}

// View draws the question and the line.
func (a *Ask) View(width, _ int) ([]string, *tea.Cursor) {
	w := widest(64, width)
	var body []string
	write := func(text string, style func(...string) string) {
		for _, row := range words.Wrap(clean.Line(text), w-6) {
			body = append(body, "  "+style(row))
		}
	}
	for _, l := range a.lines {
		write(l, theme.Plain.Render)
	}
	body = append(body, "", "  "+a.input.visible(w-8), "")
	cursor := shiftCursor(a.input.cursor(), 3, len(body)-1)
	if a.wrong != "" {
		write(theme.No.Glyph+" "+a.wrong, theme.Bad.Render)
	}
	return drawBox(a.title, "", body, w), cursor
}

// Keys lists the keys of the dialog.
func (a *Ask) Keys() [][2]string { return [][2]string{{"enter", "take it"}, esc} }
