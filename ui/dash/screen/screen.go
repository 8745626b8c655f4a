// Package screen lays the dashboard out: which panes are on the screen, and where.
package screen

import (
	"strings"

	"ocaptain/ui/dash/pane"
)

// Pane is a pane of the dashboard.
type Pane int

// The panes, in the order in which tab goes through them.
const (
	Agents Pane = iota
	Tasks
	Logs
	Ship
	Panes // their number
)

// The smallest size in which the dashboard can be drawn.
const (
	LeastWidth  = 30
	LeastHeight = 10
)

// Widths from which more panes fit side by side.
const (
	wide   = 100 // agents and tasks on the left, live view and logs on the right
	medium = 80  // agents beside tasks, and logs or live view below them
)

// Layout is what decides where the panes are.
type Layout struct {
	Width, Height int
	Strip         int  // rows below the header that show needs
	Full          bool // the focused pane has the whole body
	Focus         Pane
	Low           Pane // which of logs and ship a layout of medium width shows below
	Ships         int
}

// TooSmall reports whether the screen is too small to draw anything.
func (l Layout) TooSmall() bool { return l.Width < LeastWidth || l.Height < LeastHeight }

// Body returns the part of the screen without header, needs and footer.
func (l Layout) Body() pane.Rect {
	top := 1 + l.Strip
	return rect(0, top, l.Width, l.Height-1-top)
}

// HasTabs reports whether one pane is shown at a time, below a row that names all panes.
func (l Layout) HasTabs() bool { return !l.Full && l.Width < medium }

// Places returns where the panes are. Panes that are not on the screen are not among them.
func (l Layout) Places() Places {
	b := l.Body()
	switch {
	case l.Full:
		return Places{l.Focus: b}
	case l.Width >= wide:
		left := max(44, min(78, b.W*2/5))
		agents := l.agentRows(b.H)
		view := min(b.H, max(8, b.H*3/5))
		return Places{
			Agents: rect(0, b.Y, left, agents),
			Tasks:  rect(0, b.Y+agents, left, b.H-agents),
			Ship:   rect(left, b.Y, b.W-left, view),
			Logs:   rect(left, b.Y+view, b.W-left, b.H-view),
		}
	case l.Width >= medium:
		left := b.W / 2
		top := min(b.H, max(6, b.H*9/20))
		return Places{
			Agents: rect(0, b.Y, left, top),
			Tasks:  rect(left, b.Y, b.W-left, top),
			l.Low:  rect(0, b.Y+top, b.W, b.H-top),
		}
	}
	return Places{l.Focus: rect(0, b.Y+1, b.W, b.H-1)} // the body when it is below a row of tabs
}

// agentRows returns the height of the agents pane above the tasks: as many rows as it needs, but no more than half.
func (l Layout) agentRows(height int) int {
	n := 3
	if l.Ships > 0 {
		n = l.Ships
	}
	return min(height, max(5, min(n+2, height/2)))
}

// Places is where panes are on the screen.
type Places map[Pane]pane.Rect

// At returns the pane at a cell of the screen; ok is false when there is none.
func (p Places) At(x, y int) (at Pane, r pane.Rect, ok bool) {
	for at, r := range p {
		if r.Holds(x, y) {
			return at, r, true
		}
	}
	return 0, pane.Rect{}, false
}

// Join returns the rows of the part b of the screen, from the drawn panes.
func (p Places) Join(drawn map[Pane][]string, b pane.Rect) []string {
	out := make([]string, b.H)
	for y := range out {
		var row strings.Builder
		for x := 0; x < b.W; {
			at, r, ok := p.At(x, b.Y+y)
			if !ok {
				row.WriteString(strings.Repeat(" ", b.W-x))
				break
			}
			row.WriteString(drawn[at][b.Y+y-r.Y])
			x = r.X + r.W
		}
		out[y] = row.String()
	}
	return out
}

func rect(x, y, w, h int) pane.Rect { return pane.Rect{X: x, Y: y, W: w, H: h} }
