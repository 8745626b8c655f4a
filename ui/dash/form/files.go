package form

import (
	"fmt"

	"ocaptain/theme"
	"ocaptain/ui/bring"
)

// The answers to whether ships get git-ignored files.
const (
	FilesNone  = "none"
	FilesBring = "bring"
)

// FileChoice returns the choice whether ships get git-ignored files, without an answer.
func FileChoice() Choice { return Choice{Options: []string{FilesNone, FilesBring}} }

// TakeFiles handles a key for that choice, and reports whether the answer has changed. asked says that the captain has yet to answer.
func (c *Choice) TakeFiles(key string, asked bool) bool {
	was := c.Chosen
	switch holds := c.Chosen; key {
	case "left":
		c.Chosen = FilesNone
	case "right":
		c.Chosen = FilesBring
	case "space":
		if c.Chosen = FilesBring; holds == FilesBring || holds == "" && !asked {
			c.Chosen = FilesNone
		}
	case "backspace", "delete":
		c.Chosen = ""
	}
	return c.Chosen != was
}

// maxFiles is how many lines of files are shown.
const maxFiles = 8

// Files asks whether ships get git-ignored files, and lists the files, secrets first.
func (b *Body) Files(at Field, c Choice, chosen bring.Chosen) {
	holds := FilesBring
	if chosen.Asks() {
		holds = "" // the captain has not agreed yet
	}
	b.Choice(at, "Files", c, holds, "")
	if len(chosen.Files)+len(chosen.Skipped) == 0 {
		return
	}
	b.Below(" ", theme.Dim.Render, "from your checkout: "+chosen.Summary(), 2)
	lines := chosen.List()
	for _, l := range lines[:min(len(lines), maxFiles)] {
		if l.Secret {
			b.Below(theme.Warn.Glyph, theme.Title.Render, l.Text, 2)
		} else {
			b.Below(" ", theme.Dim.Render, l.Text, 2)
		}
	}
	if more := len(lines) - maxFiles; more > 0 {
		b.Below(" ", theme.Dim.Render, fmt.Sprintf("and %d more lines; ocaptain doctor lists all in the repository", more), 2)
	}
}
