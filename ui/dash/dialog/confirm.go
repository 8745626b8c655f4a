package dialog

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"ocaptain/fleet/clean"
	"ocaptain/theme"
	"ocaptain/ui/words"
)

// Confirm is a dialog that asks before something is destroyed. No is focused; when work would be lost, the captain
// must type a name.
type Confirm struct {
	title string
	lines []string
	facts []string // further facts
	typed string   // the name that the captain must type, "" when yes is enough
	yes   func() tea.Cmd
	onYes bool
	wrong bool // another name was typed
	input inputLine
}

// NewConfirm asks the question in title. lines say what will be lost. When typed is not empty, yes runs only after
// the captain has typed it.
func NewConfirm(title string, lines []string, typed string, yes func() tea.Cmd) *Confirm {
	c := &Confirm{title: title, lines: lines, typed: clean.Line(typed), yes: yes}
	if typed != "" {
		c.input = newLine("")
	}
	return c
}

// Tell adds facts other than what will be lost.
func (c *Confirm) Tell(facts ...string) *Confirm {
	c.facts = append(c.facts, facts...)
	return c
}

// Add adds lines about what will be lost that became known after the question was asked.
func (c *Confirm) Add(lines ...string) { c.lines = append(slices.Clone(c.lines), lines...) }

// Update moves between the answers, or edits the typed name.
func (c *Confirm) Update(msg tea.Msg) (bool, tea.Cmd) {
	key, ok := msg.(tea.KeyPressMsg)
	if ok && key.String() == "esc" {
		return true, nil
	}
	if c.typed != "" {
		if ok && key.String() == "enter" {
			if strings.EqualFold(strings.TrimSpace(c.input.Value()), c.typed) {
				return true, c.yes()
			}
			c.wrong = c.input.Value() != ""
			return !c.wrong, nil // an empty answer is no; a wrong one can be corrected
		}
		c.wrong = c.wrong && !ok
		return false, c.input.update(msg)
	}
	if !ok {
		return false, nil
	}
	switch key.String() {
	case "left", "right", "tab", "shift+tab", "h", "l":
		c.onYes = !c.onYes
	case "n", "q":
		return true, nil
	case "y":
		return true, c.yes()
	case "enter":
		if c.onYes {
			return true, c.yes()
		}
		return true, nil
	}
	return false, nil
}

// View draws the question.
func (c *Confirm) View(width, height int) ([]string, *tea.Cursor) {
	w := widest(64, width)
	body := []string{""}
	var ask []string
	if c.typed != "" {
		ask = words.Wrap("Type "+theme.Title.Render(c.typed)+" to go on:", w-6)
	}
	if lost := c.losses(w, height-6-len(ask)); len(lost) > 0 {
		body = append(append(body, lost...), "")
	}
	if len(body)+len(ask)+4 > height { // the answer is more important than the space around it
		body = slices.DeleteFunc(body, func(row string) bool { return row == "" })
	}
	if c.typed != "" {
		for _, row := range ask {
			body = append(body, "  "+row)
		}
		wrong := ""
		if c.wrong {
			wrong = "  " + theme.No.Style.Render(theme.No.Glyph+" that is not "+c.typed)
		}
		body = append(body, "  "+c.input.visible(w-8), wrong)
		return drawBox(c.title, "", body, w), shiftCursor(c.input.cursor(), 3, len(body)-1)
	}
	no, yes := theme.Selected.Render("  No  "), theme.Dim.Render("  Yes  ")
	if c.onYes {
		no, yes = theme.Dim.Render("  No  "), theme.Selected.Render("  Yes  ")
	}
	body = append(body, "  "+no+"  "+yes, "")
	return drawBox(c.title, "", body, w), nil
}

// losses draws what will be lost in at most that many rows, as the answer below must stay on the screen.
func (c *Confirm) losses(w, most int) []string {
	var rows []string
	add := func(first, text string) {
		for i, row := range words.Wrap(clean.Line(text), w-7) {
			mark := "  "
			if i == 0 {
				mark = first
			}
			rows = append(rows, "  "+mark+row)
		}
	}
	for _, l := range c.lines {
		add(theme.Warn.Style.Render(theme.Warn.Glyph)+" ", l)
	}
	for _, f := range c.facts {
		add("  ", f)
	}
	if most = max(1, most); len(rows) > most {
		more := fmt.Sprintf("    … and %d more rows: make the window higher", len(rows)-most+1)
		rows = append(rows[:most-1], theme.Title.Render(more))
	}
	return rows
}

// Keys lists the keys of the dialog.
func (c *Confirm) Keys() [][2]string {
	if c.typed != "" {
		return [][2]string{{"enter", "go on when the name is right"}, esc}
	}
	return [][2]string{{"y n", "yes, no"}, {"tab", "other answer"}, {"enter", "take it"}, esc}
}
