// Package logpane is the pane that shows the logs of all ships as one: it follows, stands
// still, filters, searches and scrolls, at a cost that does not depend on how long they are.
package logpane

import (
	"maps"
	"slices"
	"time"

	"ocaptain/ui/logs"
)

// Context is what is shown around the lines that a pattern finds.
type Context int

// The contexts.
const (
	OnlyHits Context = iota
	Around           // three lines of the same ship before and after each hit
	AllLines         // all lines; the hits are marked
)

// around is how many lines of context there are on each side.
const around = 3

// Pane shows a Book. It belongs to the goroutine that draws.
type Pane struct {
	book  *logs.Book
	words cache
	began bool  // something was applied
	fault error // the logs are no longer read

	follow   bool
	paused   int64 // the sequence number that came next when it was paused
	cursor   int64 // the record that is selected, when it does not follow
	top      place // the first row, when it does not follow
	reveal   bool  // the cursor must be made visible
	wish     int64 // the record to select while
	settling bool  // the lists are made anew
	search   int   // where to go once the pattern has found something: up, down or, 0, nowhere

	wrap, clock, focused bool
	context              Context
	side                 int // cells that are scrolled past on the left
	ships                map[string]bool
	role                 string
	grep                 *logs.Pattern
	marks                []mark

	width, height int // of the last View
	names         int // the width of the widest name of a ship
	rows          []row
	reading       bool // words of visible rows are being read
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

// AddBatch takes news from logs.Index.
func (p *Pane) AddBatch(b logs.Batch) {
	p.began, p.fault = true, nil
	p.book.ApplyBatch(b, p.words.add)
}

// ShowError says that the logs are no longer read, and why. What is known stays.
func (p *Pane) ShowError(err error) { p.fault = err }

// Advance goes on with the lists for about as long as budget. It reports whether there
// is more to do; the root calls it again then, after the next frame.
func (p *Pane) Advance(budget time.Duration) (more bool) { return p.book.Advance(budget) }

// SetFocused tells whether the keys are for this pane.
func (p *Pane) SetFocused(on bool) { p.focused = on }

// list is what is shown, apart from context around hits.
func (p *Pane) list() logs.List {
	if p.context == AllLines {
		return p.book.Lines()
	}
	return p.book.Matches()
}

// refilter asks the book for other records. The selected record stays selected when it
// is still there, else the next one is.
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

// ToggleShip shows the ship with this number, beside others that were chosen; chosen
// again, it goes. With none chosen all are shown.
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

// SetFilter shows the lines that match a regular expression; with "!" before it, the lines
// that do not; "" shows all. Small letters find capital ones as well.
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

// Filter is the pattern as it was set.
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

// ToggleWrap breaks long lines, or cuts them off.
func (p *Pane) ToggleWrap() { p.wrap, p.side = !p.wrap, 0 }

// ToggleTime shows the time of each line, or not.
func (p *Pane) ToggleTime() { p.clock = !p.clock }

// ToggleContext goes from the hits alone to three lines around each, to all lines.
func (p *Pane) ToggleContext() {
	p.context = (p.context + 1) % (AllLines + 1)
	p.top.skip, p.reveal = 0, true
}

// MoveAcross scrolls long lines that are not broken by n cells.
func (p *Pane) MoveAcross(n int) {
	if !p.wrap {
		p.side = max(0, min(p.side+n, 16<<10))
	}
}
