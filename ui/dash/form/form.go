// Package form is the common part of dialogs with several fields: it draws fields below each other, keeps choices among a
// few words, and carries the results of checks.
package form

import (
	"slices"

	tea "charm.land/bubbletea/v2"
)

// Field is a field of a form.
type Field int

// Msg is the result of a form's command. The dashboard passes it to the form's Update.
type Msg struct {
	To   any // the form
	Turn int // turn of the command, 0 for a result that never gets old
	Take func() (closed bool, cmd tea.Cmd)
}

// Choice is a choice among a few words; none chosen means the default.
type Choice struct {
	Options []string
	Chosen  string
}

// Next chooses the option after the present option.
func (c *Choice) Next(n int, holds string) {
	if c.Chosen != "" {
		holds = c.Chosen
	}
	at := slices.Index(c.Options, holds)
	c.Chosen = c.Options[(max(at, 0)+n+len(c.Options))%len(c.Options)]
}

// Take handles a key for a choice, and reports whether the choice has changed.
func (c *Choice) Take(key, holds string) bool {
	was := c.Chosen
	switch key {
	case "left":
		c.Next(-1, holds)
	case "right", "space":
		c.Next(1, holds)
	case "backspace", "delete":
		c.Chosen = ""
	}
	return c.Chosen != was
}
