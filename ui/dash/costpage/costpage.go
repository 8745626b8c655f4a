// Package costpage is the page that shows what a voyage costs, and what its agents use in each minute.
package costpage

import (
	"context"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"ocaptain/fleet"
	"ocaptain/fleet/clean"
	"ocaptain/fleet/cost"
	"ocaptain/fleet/telemetry"
	"ocaptain/theme"
	"ocaptain/ui/dash/act"
	"ocaptain/ui/dash/keys"
	"ocaptain/ui/dash/pane"
)

// minutes is how many minutes the page shows.
const minutes = 60

// Page is the cost page. It belongs to the goroutine that draws.
type Page struct {
	data   *Data // nil until it was read
	err    error // why there is no data, or no newer data
	first  int   // first visible row
	height int
	rows   int
}

// Data is what the page shows.
type Data struct {
	Ships, Roles, Models, Tasks cost.Report
	Flows                       map[string][]int64 // tokens in each minute, by ship
	All                         []int64            // tokens in each minute, of all ships
	Off                         bool               // the voyage sails without telemetry
}

// Read reads the data of the page for a voyage.
func Read(d fleet.Dir, b *fleet.Board, now time.Time) (*Data, error) {
	sums, err := telemetry.Load(d.Telemetry())
	if err != nil {
		return nil, err
	}
	f := cost.Facts{Rows: sums.Rows(), Tasks: b.Tasks, Bill: b.Bill, Told: b.Usage, Budget: b.Budget}
	data := &Data{
		Ships: cost.New(f, cost.Ship), Roles: cost.New(f, cost.Role), Models: cost.New(f, cost.Model), Tasks: cost.New(f, cost.Task),
		Flows: map[string][]int64{}, All: make([]int64, minutes), Off: b.Voyage.Telemetry.Off,
	}
	data.Models.Rows = slices.DeleteFunc(data.Models.Rows, func(r cost.Row) bool { // a row with time alone belongs to no model
		return r.Totals.Cost == 0 && r.Totals.Tokens.All() == 0
	})
	for _, ship := range sums.Ships() {
		flow := sums.Minutes(ship, now, minutes)
		data.Flows[ship] = flow
		for i, n := range flow {
			data.All[i] += n
		}
	}
	return data, nil
}

// Scope returns where its keys act.
func (p *Page) Scope() keys.Scope { return keys.InCosts }

// Reload reads the data of a voyage, and shows it.
func (p *Page) Reload(_ context.Context, d fleet.Dir, b *fleet.Board, now time.Time) tea.Cmd {
	return func() tea.Msg {
		data, err := Read(d, b, now)
		return act.Then(func() tea.Cmd {
			if p.err = err; err == nil {
				p.SetData(data)
			}
			return nil
		})
	}
}

// SetData shows data.
func (p *Page) SetData(d *Data) { p.data, p.err = d, nil }

// Title returns the title of the page.
func (p *Page) Title() string { return "Costs" }

// Info says whose figures these are.
func (p *Page) Info() string {
	if p.err != nil && p.data != nil {
		return "could not be read again"
	}
	return "the agents' own estimate"
}

// View draws the body as exactly height rows of exactly width cells.
func (p *Page) View(width, height int) []string {
	switch {
	case p.data == nil && p.err != nil:
		return pane.Message(width, height, pane.Failed, "what agents measured could not be read", clean.Line(p.err.Error()))
	case p.data == nil:
		return pane.FitRows([]string{theme.Going.Style.Render(theme.Going.Glyph + " reading what agents measured")}, width, height)
	}
	rows := p.data.draw(width - 2)
	for i, row := range rows {
		rows[i] = " " + pane.Fit(row, max(0, width-2))
	}
	p.height, p.rows = height, len(rows)
	p.first = max(0, min(p.first, len(rows)-height))
	return pane.FitRows(rows[p.first:], width, height)
}

// ScrollBy scrolls n rows down, or up for a negative n.
func (p *Page) ScrollBy(n int) { p.first = max(0, p.first+n) }

// Wheel does what ScrollBy does.
func (p *Page) Wheel(n int) { p.ScrollBy(n) }

// Top scrolls to the first row.
func (p *Page) Top() { p.first = 0 }

// Bottom scrolls to the last row.
func (p *Page) Bottom() { p.first = max(0, p.rows-p.height) }
