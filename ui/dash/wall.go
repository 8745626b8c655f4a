package dash

import (
	"fmt"
	"strings"

	"ocaptain/fleet"
	"ocaptain/theme"
	"ocaptain/ui/clean"
	"ocaptain/ui/dash/pane"
)

// tiles is the wall: which ships it shows and how.
type tiles struct {
	at    int // the selected ship
	finer int // how many steps smaller than usual tiles are
}

// grid says how many tiles stand on the wall: as many as stay readable.
func (m *Model) grid() (cols, rows int) {
	b := m.body()
	n := len(m.v.board.Ships)
	width, height := 60, 14
	for range m.tiles.finer {
		width, height = width*3/4, height*3/4
	}
	for range -m.tiles.finer {
		width, height = width*4/3, height*4/3
	}
	cols = max(1, min(b.w/max(20, width), n))
	rows = max(1, min(b.h/max(5, height), (n+cols-1)/cols))
	return cols, rows
}

// wallShips returns the ships of the page that is shown, and where each one is.
func (m *Model) wallShips() (ships []*fleet.ShipView, places []rect) {
	b := m.body()
	cols, rows := m.grid()
	per := cols * rows
	all := m.v.board.Ships
	m.tiles.at = max(0, min(m.tiles.at, len(all)-1))
	first := m.tiles.at / per * per
	shown := min(per, len(all)-first)
	used := (shown + cols - 1) / cols
	for i := range shown {
		x, y := i%cols, i/cols
		left, right := b.w*x/cols, b.w*(x+1)/cols
		top, bottom := b.h*y/max(1, used), b.h*(y+1)/max(1, used)
		ships = append(ships, &all[first+i])
		places = append(places, rect{left, b.y + top, right - left, bottom - top})
	}
	return ships, places
}

// tile is the selected ship on the wall.
func (m *Model) tile() *fleet.ShipView {
	if all := m.v.board.Ships; m.tiles.at < len(all) {
		return &all[m.tiles.at]
	}
	return nil
}

// keepTile keeps a ship selected though others come or go before it.
func (m *Model) keepTile(name string) {
	for i := range m.v.board.Ships {
		if m.v.board.Ships[i].Name == name {
			m.tiles.at = i
		}
	}
}

// openWall shows all ships, the selected one selected.
func (m *Model) openWall() cmd {
	m.keepTile(m.shipName())
	m.place = wall
	return nil
}

// closer shows the selected tile in full screen.
func (m *Model) closer() cmd {
	if t := m.tile(); t != nil {
		m.v.agents.Select(t.Name)
		m.focus, m.low, m.place = ship, ship, full
	}
	return nil
}

// selectTile makes a tile the selected one; the agents pane follows.
func (m *Model) selectTile(at int) {
	m.tiles.at = max(0, min(at, len(m.v.board.Ships)-1))
	if t := m.tile(); t != nil {
		m.v.agents.Select(t.Name)
	}
}

func tileBy(dx, dy int) action {
	return func(m *Model) cmd {
		cols, _ := m.grid()
		if at := m.tiles.at + dx + dy*cols; at >= 0 && at < len(m.v.board.Ships) {
			m.selectTile(at)
		}
		return nil
	}
}

func wallPage(n int) action {
	return func(m *Model) cmd {
		cols, rows := m.grid()
		m.selectTile(m.tiles.at + n*cols*rows)
		return nil
	}
}

func wallSize(n int) action {
	return func(m *Model) cmd {
		m.tiles.finer = max(-3, min(m.tiles.finer+n, 3))
		return nil
	}
}

// drawWall draws the tiles of a page.
func (m *Model) drawWall() []string {
	b := m.body()
	ships, places := m.wallShips()
	if len(ships) == 0 {
		return pane.Message(b.w, b.h, pane.Empty, "no ship is out", "esc, then s adds one, or sails a plan")
	}
	rows := make([]strings.Builder, b.h)
	for i, s := range ships {
		r := places[i]
		w, h := pane.Inner(r.w, r.h)
		p := m.v.views.Pane(s.Name)
		p.SetNow(m.now)
		state := theme.Status(s.Status.Word)
		selected := m.tile() == s
		box := pane.Box{
			Title: clean.Line(s.Name), Focused: selected,
			Info: state.Style.Render(state.Glyph + " " + state.Word),
		}
		if s.Task != "" {
			box.Foot = theme.Dim.Render("task " + clean.Line(s.Task))
		}
		for y, row := range box.Draw(p.View(w, h), r.w, r.h) {
			rows[r.y-b.y+y].WriteString(row)
		}
	}
	out := make([]string, b.h)
	for y := range rows {
		out[y] = pane.Fit(rows[y].String(), b.w)
	}
	if cols, n := m.grid(); cols*n < len(m.v.board.Ships) {
		per := cols * n
		page := theme.Dim.Render(fmt.Sprintf(" page %d of %d ", m.tiles.at/per+1, (len(m.v.board.Ships)+per-1)/per))
		pane.Overlay(out, []string{page}, b.w-pane.Width(page)-2, b.h-1)
	}
	return out
}
