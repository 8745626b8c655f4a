// Package wall shows all ships live, side by side.
package wall

import (
	"fmt"
	"strings"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/clean"
	"ocaptain/theme"
	"ocaptain/ui/dash/attention"
	"ocaptain/ui/dash/live"
	"ocaptain/ui/dash/pane"
)

// Wall says which ships are shown and how.
type Wall struct {
	selected int
	finer    int // how many steps smaller than usual the tiles are
	ships    []fleet.ShipView
	needs    *attention.Needs
	area     pane.Rect
}

// Set sets the ships, their needs, and the wall's place on the screen.
func (w *Wall) Set(ships []fleet.ShipView, needs *attention.Needs, area pane.Rect) {
	w.ships, w.needs, w.area = ships, needs, area
	w.selected = max(0, min(w.selected, len(ships)-1))
}

// grid returns how many tiles fit on the wall: as many as stay readable.
func (w *Wall) grid() (cols, rows int) {
	n := len(w.ships)
	width, height := 60, 14
	for range w.finer {
		width, height = width*3/4, height*3/4
	}
	for range -w.finer {
		width, height = width*4/3, height*4/3
	}
	cols = max(1, min(w.area.W/max(20, width), n))
	rows = max(1, min(w.area.H/max(5, height), (n+cols-1)/cols))
	return cols, rows
}

// page returns the first ship of the shown page, and how many ships a page has room for.
func (w *Wall) page() (first, size int) {
	cols, rows := w.grid()
	return w.selected / (cols * rows) * (cols * rows), cols * rows
}

// Shown returns the ships of the shown page, and the place of each.
func (w *Wall) Shown() (ships []fleet.ShipView, places []pane.Rect) {
	cols, _ := w.grid()
	first, size := w.page()
	b := w.area
	ships = w.ships[first:min(first+size, len(w.ships))]
	used := (len(ships) + cols - 1) / cols
	for i := range ships {
		x, y := i%cols, i/cols
		left, right := b.W*x/cols, b.W*(x+1)/cols
		top, bottom := b.H*y/max(1, used), b.H*(y+1)/max(1, used)
		places = append(places, pane.Rect{X: left, Y: b.Y + top, W: right - left, H: bottom - top})
	}
	return ships, places
}

// Selected returns the selected ship, nil when there is none.
func (w *Wall) Selected() *fleet.ShipView {
	if w.selected < len(w.ships) {
		return &w.ships[w.selected]
	}
	return nil
}

// Select selects a ship by its name.
func (w *Wall) Select(name string) {
	for i := range w.ships {
		if w.ships[i].Name == name {
			w.selected = i
		}
	}
}

// MoveBy selects a ship beside, above or below, if there is one.
func (w *Wall) MoveBy(dx, dy int) {
	cols, _ := w.grid()
	if at := w.selected + dx + dy*cols; at >= 0 && at < len(w.ships) {
		w.selected = at
	}
}

// PageBy goes n pages forward, or back.
func (w *Wall) PageBy(n int) {
	_, size := w.page()
	w.selected = max(0, min(w.selected+n*size, len(w.ships)-1))
}

// Click selects the ship at a place of the screen.
func (w *Wall) Click(x, y int) {
	first, _ := w.page()
	_, places := w.Shown()
	for i, r := range places {
		if r.Holds(x, y) {
			w.selected = first + i
		}
	}
}

// Resize makes tiles n steps smaller.
func (w *Wall) Resize(n int) { w.finer = max(-3, min(w.finer+n, 3)) }

// View draws the tiles of a page.
func (w *Wall) View(views *live.Views, now time.Time) []string {
	b := w.area
	ships, places := w.Shown()
	if len(ships) == 0 {
		return pane.Message(b.W, b.H, pane.Empty, "no ship is out", "esc, then s adds one, or sails a plan")
	}
	rows := make([]strings.Builder, b.H)
	for i := range ships {
		r := places[i]
		for y, row := range w.tile(&ships[i], views.PaneOf(ships[i].Name), r, now) {
			rows[r.Y-b.Y+y].WriteString(row)
		}
	}
	out := make([]string, b.H)
	for y := range rows {
		out[y] = pane.Fit(rows[y].String(), b.W)
	}
	if first, size := w.page(); size < len(w.ships) {
		page := theme.Dim.Render(fmt.Sprintf(" page %d of %d ", first/size+1, (len(w.ships)+size-1)/size))
		pane.Overlay(out, []string{page}, b.W-pane.Width(page)-2, b.H-1)
	}
	return out
}

// tile draws one ship.
func (w *Wall) tile(s *fleet.ShipView, p *live.Pane, r pane.Rect, now time.Time) []string {
	width, height := pane.InnerSize(r.W, r.H)
	p.SetNow(now)
	state := theme.Status(s.Status.Word)
	if w.needs.HasStatus(s) {
		state = state.Needing()
	}
	box := pane.Box{
		Title: clean.Line(s.Name), Focused: w.Selected() == s,
		Info: state.String(),
	}
	if s.Task != "" {
		box.Foot = theme.Dim.Render("task " + clean.Line(s.Task))
	}
	return box.Draw(p.View(width, height), r.W, r.H)
}
