// Package form is what dialogs with several fields are made of: how fields are drawn below each other, what is chosen from
// a few words, and the messages that bring what was looked at meanwhile.
package form

import (
	"slices"

	tea "charm.land/bubbletea/v2"
)

// Field is a place in a form that takes keys.
type Field int

// Msg is what a command of a form brings. Whoever shows the form gives it to its Update.
type Msg struct {
	To   any // the form
	Turn int // in which it was asked for, 0 for what never gets old
	Take func() (closed bool, cmd tea.Cmd)
}

// Choice is one of a few words; none chosen means the default.
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

// Take takes a key for a choice, and reports whether another word holds then.
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
