// Package logpane is the pane that shows the logs of all ships as one: it follows, pauses, filters, searches and
// scrolls, at a cost that does not depend on the length of the logs.
package logpane

import (
	"maps"
	"slices"
	"time"

	"ocaptain/ui/logs"
)

// Context says which lines are shown around the hits of a pattern.
type Context int

// The contexts.
const (
	OnlyHits Context = iota
	Around           // three lines of the same ship before and after each hit
	AllLines         // all lines, with the hits highlighted
)

// around is how many lines of context are on each side of a hit.
const around = 3

// Pane shows a Book. It belongs to the goroutine that draws.
type Pane struct {
	book  *logs.Book
	words cache
	began bool  // a batch was added
	fault error // why the logs are no longer read

	follow   bool
	paused   int64 // sequence number of the next record at the time of the pause
	cursor   int64 // selected record, when the pane does not follow
	top      place // first row, when the pane does not follow
	reveal   bool  // the selected record must become visible
	wish     int64 // record to select once the lists are filled again
	settling bool  // the lists are being filled again
	search   int   // direction of a search that waits for hits: up, down or, 0, none

	wrap, clock, focused bool
	context              Context
	side                 int // number of cells scrolled past on the left
	ships                map[string]bool
	role                 string
	grep                 *logs.Pattern
	marks                []mark

	width, height int // size of the last View
	names         int // width of the widest name of a ship
	rows          []row
	reading       bool // the text of visible rows is being read
}

// place is one of the rows in which a record is drawn.
type place struct {
	seq  int64
	skip int
}

// New returns an empty pane that follows.
func New() *Pane { return newPane(logs.Most) }

func newPane(most int) *Pane {
	return &Pane{book: logs.NewBook(most), follow: true, clock: true, ships: map[string]bool{}, words: newCache()}
}

// AddBatch adds a batch from logs.IndexVoyage.
func (p *Pane) AddBatch(b logs.Batch) {
	p.began, p.fault = true, nil
	p.book.ApplyBatch(b, p.words.add)
}

// ShowError shows why the logs are no longer read. Known lines stay.
func (p *Pane) ShowError(err error) { p.fault = err }

// Advance filters for about as long as budget. It reports whether there is more to do; the model then calls it again
// after the next frame.
func (p *Pane) Advance(budget time.Duration) (more bool) { return p.book.Advance(budget) }

// SetFocused says whether keys go to this pane.
func (p *Pane) SetFocused(on bool) { p.focused = on }

// list returns the shown records, without context around hits.
func (p *Pane) list() logs.List {
	if p.context == AllLines {
		return p.book.Lines()
	}
	return p.book.Matches()
}

// refilter sets the filter of the book. The selected record stays selected when it passes the filter, otherwise the
// next one is selected.
func (p *Pane) refilter() {
	p.book.SetFilter(logs.Filter{Ships: slices.Sorted(maps.Keys(p.ships)), Role: p.role, Grep: p.grep})
	if !p.settling {
		p.wish, p.settling = p.cursor, !p.follow
	}
	p.side = 0
}

// SetRole shows only ships with this role; "" for all.
func (p *Pane) SetRole(role string) {
	if p.role != role {
		p.role = role
		p.refilter()
	}
}

// ToggleShip adds the ship with this number to the chosen ships, or removes it. With no ship chosen, all are shown.
func (p *Pane) ToggleShip(number int) {
	name := p.shipNamed(number)
	if p.ships[name] {
		delete(p.ships, name)
	} else {
		p.ships[name] = true
	}
	p.refilter()
}

// SelectShip shows one ship only.
func (p *Pane) SelectShip(name string) {
	p.ships = map[string]bool{name: true}
	p.refilter()
}

// SetFilter shows the lines that match a regular expression; with "!" before it, the lines that do not; "" shows all.
// An expression without capital letters ignores case.
func (p *Pane) SetFilter(pattern string) error {
	if pattern == "" || pattern == "!" {
		if p.grep != nil {
			p.grep = nil
			p.refilter()
		}
		return nil
	}
	grep, err := logs.Search(pattern)
	if err != nil {
		return err
	}
	p.grep = grep
	p.refilter()
	return nil
}

// Filter returns the pattern as it was set.
func (p *Pane) Filter() string {
	if p.grep == nil {
		return ""
	}
	return p.grep.String()
}

// Filtered reports whether some lines may be hidden.
func (p *Pane) Filtered() bool { return p.grep != nil || p.role != "" || len(p.ships) > 0 }

// ClearFilters shows all lines, and reports whether some may have been hidden.
func (p *Pane) ClearFilters() bool {
	had := p.Filtered()
	if had {
		p.grep, p.role = nil, ""
		clear(p.ships)
		p.refilter()
	}
	return had
}

// ToggleWrap switches between breaking long lines and cutting them off.
func (p *Pane) ToggleWrap() { p.wrap, p.side = !p.wrap, 0 }

// ToggleTime shows or hides the time of each line.
func (p *Pane) ToggleTime() { p.clock = !p.clock }

// ToggleContext switches from the hits alone to three lines around each, and to all lines.
func (p *Pane) ToggleContext() {
	p.context = (p.context + 1) % (AllLines + 1)
	p.top.skip, p.reveal = 0, true
}

// MoveAcross scrolls long lines that are not broken n cells to the right, or left.
func (p *Pane) MoveAcross(n int) {
	if !p.wrap {
		p.side = max(0, min(p.side+n, 16<<10))
	}
}
