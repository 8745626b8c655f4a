package screen

import (
	"fmt"
	"strings"

	"ocaptain/theme"
	"ocaptain/ui/dash/pane"
)

// Label returns what the title of a pane begins with: the number that is its key.
func Label(p Pane) string { return fmt.Sprintf("[%d] ", p+1) }

// DrawPage draws a page in a box.
func DrawPage(p Page, r pane.Rect) []string {
	w, h := pane.InnerSize(r.W, r.H)
	return pane.Box{Title: p.Title(), Info: p.Info(), Focused: true}.Draw(p.View(w, h), r.W, r.H)
}

// DrawList draws a list in a box with a text at its foot.
func DrawList(l List, label, foot string, focused bool, r pane.Rect) []string {
	l.SetFocused(focused)
	w, h := pane.InnerSize(r.W, r.H)
	body := l.View(w, h) // first, as the title and the rest of the box may depend on what is drawn
	return pane.Box{Title: label + l.Title(), Info: l.Info(), Foot: foot, Focused: focused}.Draw(body, r.W, r.H)
}

// DrawTabs draws a row with the names of the panes, while one pane is shown at a time.
func DrawTabs(name func(Pane) string, focus Pane, width int) string {
	var tabs []string
	for p := range Panes {
		style := theme.Dim
		if p == focus {
			style = theme.Accent
		}
		tabs = append(tabs, style.Render(Label(p)+name(p)))
	}
	return pane.Fit(" "+strings.Join(tabs, "  "), width)
}
