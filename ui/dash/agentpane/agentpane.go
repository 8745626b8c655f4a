// Package agentpane is the pane of agents: every ship with what its agent does, for how long, and why the ship needs
// the captain if it does.
package agentpane

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/clean"
	"ocaptain/theme"
	"ocaptain/ui/dash/attention"
	"ocaptain/ui/dash/pane"
)

// Pane lists the ships of a voyage.
type Pane struct {
	crew     []fleet.ShipView
	ships    []fleet.ShipView  // the ships, and before them the coordinator of a session
	kind     fleet.Kind        // kind of the voyage
	subjects map[string]string // subjects of tasks by id
	next     map[string]string // for workers of a pool, the dispatch that each gets next
	pool     bool
	ids      int // width of the ids of the tasks at work, in cells
	now      time.Time
	loaded   bool
	stale    bool // the shown ships are old: no news comes
	needs    *attention.Needs
	err      string

	shown    []int // indexes of the ships that the filter lets through, needy ships first
	filter   string
	selected string // name of a ship
	first    int
	height   int // height of the last View
	rows     int // number of ship rows in the last View
	marked   map[string]bool

	unfocused bool // the keys go to another pane
}

// New returns an empty pane, which says that it is loading.
func New() *Pane { return &Pane{marked: map[string]bool{}, needs: &attention.Needs{}} }

// SetBoard shows the ships of a board, and their needs.
func (p *Pane) SetBoard(b *fleet.Board, needs *attention.Needs) {
	p.loaded, p.err = true, ""
	p.ships, p.crew, p.kind, p.needs = b.Ships, b.Ships, b.Voyage.Kind, needs
	if p.kind.TakesEpics() && len(p.crew) > 0 {
		p.ships = append([]fleet.ShipView{coordinator(b)}, b.Ships...)
	}
	p.subjects, p.next, p.pool = map[string]string{}, map[string]string{}, b.Voyage.PoolName() != ""
	wanted := map[string]bool{}
	p.ids = 0
	for i := range b.Ships {
		wanted[b.Ships[i].Task] = true
		p.ids = max(p.ids, min(6, len(b.Ships[i].Task)))
	}
	for i := range b.Tasks {
		if id := b.Tasks[i].ID; wanted[id] {
			p.subjects[id] = clean.Line(b.Tasks[i].Subject)
		}
		if worker := b.Tasks[i].ReservedFor; p.pool && worker != "" {
			p.next[worker] = clean.Line(b.Tasks[i].ID + " " + b.Tasks[i].Subject)
		}
	}
	for name := range p.marked {
		if !slices.ContainsFunc(p.ships, func(s fleet.ShipView) bool { return s.Name == name }) {
			delete(p.marked, name)
		}
	}
	p.applyFilter()
}

// SetNeeds shows new needs.
func (p *Pane) SetNeeds(needs *attention.Needs) {
	p.needs = needs
	p.applyFilter()
}

// SetNow sets the time from which ages are computed, and whether news has stopped coming.
func (p *Pane) SetNow(now time.Time, stale bool) { p.now, p.stale = now, stale }

// SetError shows why the ships cannot be known.
func (p *Pane) SetError(text string) { p.err = clean.Line(text) }

// SetFilter shows only ships whose row contains the text, ignoring case; "" shows all. It accepts every text.
func (p *Pane) SetFilter(text string) error {
	p.filter = strings.ToLower(text)
	p.applyFilter()
	return nil
}

// ClearFilters shows all ships, and reports whether some may have been hidden.
func (p *Pane) ClearFilters() bool {
	had := p.filter != ""
	_ = p.SetFilter("") // fails for no text
	return had
}

// SetFocused says whether keys go to this pane.
func (p *Pane) SetFocused(on bool) { p.unfocused = !on }

// Filter returns the text that rows must contain.
func (p *Pane) Filter() string { return p.filter }

// applyFilter computes the shown ships, in their order, and keeps a ship selected.
func (p *Pane) applyFilter() {
	p.shown = p.shown[:0]
	for i := range p.ships {
		if p.filter == "" || strings.Contains(strings.ToLower(p.searchText(&p.ships[i])), p.filter) {
			p.shown = append(p.shown, i)
		}
	}
	slices.SortStableFunc(p.shown, func(a, b int) int {
		x, y := &p.ships[a], &p.ships[b]
		return cmp.Or(p.needs.Rank(x.Name)-p.needs.Rank(y.Name), p.seat(x)-p.seat(y))
	})
	if at := p.selectedIndex(); at >= 0 {
		p.selected = p.ships[p.shown[at]].Name
	}
}

// selectedIndex returns the place of the selected row among the shown ones: the first ship when the selected one is
// gone, -1 when no ship is shown.
func (p *Pane) selectedIndex() int {
	first := -1
	for at, i := range p.shown {
		if p.ships[i].Name == p.selected {
			return at
		}
		if first < 0 && !isCoordinator(&p.ships[i]) {
			first = at
		}
	}
	return max(first, min(0, len(p.shown)-1))
}

// Selected returns the selected ship, or nil.
func (p *Pane) Selected() *fleet.ShipView {
	if at := p.selectedIndex(); at >= 0 && !p.OnCoordinator() {
		return &p.ships[p.shown[at]]
	}
	return nil
}

// OnCoordinator reports whether the coordinator is selected, which is not a ship.
func (p *Pane) OnCoordinator() bool {
	at := p.selectedIndex()
	return at >= 0 && isCoordinator(&p.ships[p.shown[at]])
}

// Len returns the number of rows without a filter.
func (p *Pane) Len() int { return len(p.ships) }

// Select selects a ship by name. When the filter hides the ship, Select clears the filter.
func (p *Pane) Select(name string) {
	p.selected = name
	if at := p.selectedIndex(); at < 0 || p.ships[p.shown[at]].Name != name {
		p.filter = ""
		p.selected = name
		p.applyFilter()
	}
}

// MoveBy moves the selection by n ships.
func (p *Pane) MoveBy(n int) {
	if at := p.selectedIndex(); at >= 0 {
		p.selected = p.ships[p.shown[max(0, min(at+n, len(p.shown)-1))]].Name
	}
}

// PageBy moves the selection by n half pages.
func (p *Pane) PageBy(n int) { p.MoveBy(n * max(1, p.height/2)) }

// Top selects the first ship.
func (p *Pane) Top() { p.MoveBy(-len(p.ships)) }

// Bottom selects the last ship.
func (p *Pane) Bottom() { p.MoveBy(len(p.ships)) }

// ToggleMark marks the selected ship or removes its mark, and selects the next ship.
func (p *Pane) ToggleMark() {
	s := p.Selected()
	if s == nil {
		return
	}
	if p.marked[s.Name] {
		delete(p.marked, s.Name)
	} else {
		p.marked[s.Name] = true
	}
	p.MoveBy(1)
}

// ClearMarks removes all marks and reports whether there were any.
func (p *Pane) ClearMarks() bool {
	had := len(p.marked) > 0
	clear(p.marked)
	return had
}

// Marked returns the names of the marked ships in the order of the list.
func (p *Pane) Marked() []string {
	var names []string
	for i := range p.ships {
		if p.marked[p.ships[i].Name] {
			names = append(names, p.ships[i].Name)
		}
	}
	return names
}

// Click selects the ship in row y.
func (p *Pane) Click(_, y int) {
	if at := p.first + y; y >= 0 && y < p.rows && at < len(p.shown) {
		p.selected = p.ships[p.shown[at]].Name
	}
}

// NextHit selects the next ship, or for a negative n an earlier one, as only hits are shown.
func (p *Pane) NextHit(n int) { p.MoveBy(n) }

// MoveAcross does nothing: rows are as wide as the pane.
func (p *Pane) MoveAcross(int) {}

// Wheel moves the selection.
func (p *Pane) Wheel(n int) { p.MoveBy(n / 3) }

// Title returns the name of the pane.
func (p *Pane) Title() string { return p.Name() }

// Name returns what the pane lists.
func (p *Pane) Name() string { return "Agents" }

// Info returns how many ships are active, how many work, and how many need the captain.
func (p *Pane) Info() string {
	if !p.loaded {
		return ""
	}
	text := Counts(p.crew)
	if p.filter != "" {
		text = fmt.Sprintf("/%s/ %d of %d · ", clean.Line(p.filter), len(p.shown), len(p.ships)) + text
	}
	if n := len(p.marked); n > 0 {
		text = fmt.Sprintf("%d marked · ", n) + text
	}
	return text
}

// View draws the pane.
func (p *Pane) View(width, height int) []string {
	p.height = height
	switch {
	case p.err != "":
		return pane.Message(width, height, pane.Failed, "the voyage cannot be read", p.err)
	case !p.loaded:
		return pane.Message(width, height, pane.Loading, "reading the voyage …")
	case len(p.ships) == 0 && p.pool:
		return pane.Message(width, height, pane.Empty, "the pool has no worker", "p gives it something to do, s adds a worker")
	case len(p.ships) == 0:
		return pane.Message(width, height, pane.Empty, "no ship is out", "s adds one, or sails a plan")
	case len(p.shown) == 0:
		return pane.Message(width, height, pane.Filtered, fmt.Sprintf("none of %d ships has “%s”", len(p.crew), clean.Line(p.filter)), "esc shows all")
	}
	at := p.selectedIndex()
	hidden := p.scroll(at, height)
	c := p.columns(width)
	rows := make([]string, 0, height)
	for i := p.first; i < min(len(p.shown), p.first+p.rows); i++ {
		rows = append(rows, p.drawRow(&p.ships[p.shown[i]], c, width, i == at, !p.unfocused))
	}
	if hidden > 0 {
		rows = append(rows, theme.Needs.Render(fmt.Sprintf(" ▲ %d more %s you", hidden, map[bool]string{true: "needs", false: "need"}[hidden == 1])))
	}
	return pane.FitRows(rows, width, height)
}

// scroll scrolls to the ship at that place, and returns how many needy ships are out of sight, which a row below counts.
func (p *Pane) scroll(at, height int) int {
	needy, all := 0, 0
	for needy < len(p.shown) && p.needs.Has(p.ships[p.shown[needy]].Name) {
		needy++
	}
	for i := range p.ships {
		if p.needs.Has(p.ships[i].Name) {
			all++
		}
	}
	for p.rows = height; ; p.rows-- {
		p.first = pane.Scroll(p.first, at, len(p.shown), p.rows)
		hidden := all - max(0, min(needy, p.first+p.rows)-p.first)
		if hidden == 0 || p.rows < height || height < 2 {
			return hidden
		}
	}
}
