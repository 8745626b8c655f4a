// Package frame keeps the last drawn screen, so that a message draws only what it may change.
package frame

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"ocaptain/ui/dash/feed"
	"ocaptain/ui/dash/screen"
	"ocaptain/ui/dash/shown"
)

// Frame is the last drawn screen.
type Frame struct {
	Stands bool // the last message was a key for a ship: it changes nothing on the screen until the ship's output arrives

	view     tea.View
	rest     *Rest // as drawn since the last message that may change it, or nil
	pictures bool  // the last message changes only live views
}

// Rest is what is on the screen besides live views and dialogs.
type Rest struct {
	Top    []string    // header and needs
	Foot   string      // footer
	Cursor *tea.Cursor // in the footer, or nil
	lists  map[screen.Pane][]string
}

// Keep prepares the frame for a message, and reports whether the message changes only live views. Everything else on
// the screen is then kept.
func (f *Frame) Keep(msg tea.Msg) bool {
	news, ok := msg.(feed.News)
	f.Stands, f.pictures = false, ok && !slices.ContainsFunc(news, isNoPicture)
	if !f.pictures {
		f.rest = nil
	}
	return f.pictures
}

func isNoPicture(msg tea.Msg) bool {
	_, ok := msg.(shown.FramesMsg)
	return !ok
}

// View returns the screen; draw draws it unless it stands.
func (f *Frame) View(draw func() tea.View) tea.View {
	if !f.Stands {
		f.view = draw()
	}
	return f.view
}

// Rest returns the rest of the screen; draw draws it unless only live views change.
func (f *Frame) Rest(draw func() *Rest) *Rest {
	if f.rest == nil || !f.pictures {
		f.rest = draw()
		f.rest.lists = map[screen.Pane][]string{}
	}
	return f.rest
}

// List returns the rows of a list; draw draws them unless the rest, which Rest returned before, has them.
func (f *Frame) List(p screen.Pane, draw func() []string) []string {
	if f.rest.lists[p] == nil {
		f.rest.lists[p] = draw()
	}
	return f.rest.lists[p]
}
