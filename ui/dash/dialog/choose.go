package dialog

import (
	"fmt"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/sahilm/fuzzy"

	"ocaptain/fleet/clean"
	"ocaptain/theme"
	"ocaptain/ui/dash/pane"
)

// Choice is a choice of a Choose.
type Choice struct {
	Name string // the text by which it is found
	Side string // shown dimmed on the right: a key, an age
	Off  string // why it cannot be chosen now, "" when it can
	Do   func() tea.Cmd
}

// Choose is a dialog in which the captain chooses by typing some letters of a name: the palette of actions, the
// picker of voyages.
type Choose struct {
	title   string
	info    string // text at the right of the title
	none    string // text when nothing matches
	choices []Choice
	input   inputLine
	hits    []fuzzy.Match
	at      int
	first   int
	said    string // why the last choice was refused
	rows    int
}

// NewChoose offers choices. none says what to do when there are none at all.
func NewChoose(title, none string, choices []Choice) *Choose {
	for i := range choices {
		c := &choices[i]
		c.Name, c.Side, c.Off = clean.Line(c.Name), clean.Line(c.Side), clean.Line(c.Off)
	}
	c := &Choose{title: title, none: none, choices: choices, input: newLine("type to search")}
	c.search()
	return c
}

// SetInfo shows a text at the right of the title.
func (c *Choose) SetInfo(text string) { c.info = clean.Line(text) }

func (c *Choose) search() {
	c.at, c.first, c.said = 0, 0, ""
	if c.input.Value() == "" {
		c.hits = c.hits[:0]
		for i := range c.choices {
			c.hits = append(c.hits, fuzzy.Match{Str: c.choices[i].Name, Index: i})
		}
		return
	}
	names := make([]string, len(c.choices))
	for i := range c.choices {
		names[i] = c.choices[i].Name
	}
	c.hits = fuzzy.Find(c.input.Value(), names)
}

// Update moves, searches or chooses.
func (c *Choose) Update(msg tea.Msg) (bool, tea.Cmd) {
	if wheel, ok := msg.(tea.MouseWheelMsg); ok {
		c.moveBy(map[bool]int{true: -1, false: 1}[wheel.Button == tea.MouseWheelUp])
		return false, nil
	}
	key, ok := msg.(tea.KeyPressMsg)
	if ok {
		switch key.String() {
		case "esc":
			return true, nil
		case "up", "ctrl+p", "ctrl+k", "shift+tab":
			c.moveBy(-1)
			return false, nil
		case "down", "ctrl+n", "ctrl+j", "tab":
			c.moveBy(1)
			return false, nil
		case "pgup":
			c.moveBy(-c.rows)
			return false, nil
		case "pgdown":
			c.moveBy(c.rows)
			return false, nil
		case "enter":
			if c.at >= len(c.hits) {
				return false, nil
			}
			chosen := c.choices[c.hits[c.at].Index]
			if chosen.Off != "" {
				c.said = chosen.Off
				return false, nil
			}
			return true, chosen.Do()
		}
	}
	was := c.input.Value()
	cmd := c.input.update(msg)
	if c.input.Value() != was {
		c.search()
	}
	return false, cmd
}

func (c *Choose) moveBy(n int) {
	c.at, c.said = max(0, min(c.at+n, len(c.hits)-1)), ""
}

// View draws the input line and the choices that match it.
func (c *Choose) View(width, height int) ([]string, *tea.Cursor) {
	w := widest(78, width)
	c.rows = max(1, min(height-8, max(len(c.choices), 1), 18))
	body := []string{" " + theme.Accent.Render("›") + " " + c.input.visible(w-8), theme.Border.Render(" " + repeat("─", w-4))}
	c.first = pane.Scroll(c.first, c.at, len(c.hits), c.rows)
	for i := range c.rows {
		if at := c.first + i; at < len(c.hits) {
			body = append(body, c.drawRow(at, w-2))
		} else {
			body = append(body, "")
		}
	}
	switch {
	case len(c.choices) == 0:
		body[2] = " " + theme.Dim.Render("○ "+c.none)
	case len(c.hits) == 0:
		body[2] = " " + theme.Dim.Render("⊘ nothing fits")
	}
	if c.said != "" {
		body = append(body, " "+theme.Title.Render(theme.Warn.Glyph+" "+c.said))
	}
	cur := c.input.cursor()
	frame := pane.Box{Title: clean.Line(c.title), Info: c.info, Foot: fmt.Sprintf("%d of %d", len(c.hits), len(c.choices)), Focused: true}
	return frame.Draw(body, w, len(body)+2), shiftCursor(cur, 4, 1)
}

func (c *Choose) drawRow(at, w int) string {
	hit := c.hits[at]
	choice := c.choices[hit.Index]
	side := choice.Side
	if choice.Off != "" {
		side = choice.Off
	}
	side = ansi.Truncate(side, w*3/5, "…")
	name := pane.Fit(choice.Name, max(0, w-3-ansi.StringWidth(side)))
	if choice.Off != "" {
		name = theme.Dim.Render(name)
	} else {
		name = theme.Plain.Render(name)
	}
	row := pane.Fit(" "+name+" "+theme.Dim.Render(side)+" ", w)
	if at == c.at {
		row = pane.Highlight(row, true)
	}
	return row
}

// Keys lists the keys of the dialog.
func (c *Choose) Keys() [][2]string {
	return [][2]string{{"↑ ↓", "move"}, {"enter", "choose"}, esc}
}
