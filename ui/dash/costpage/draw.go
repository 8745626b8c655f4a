package costpage

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/NimbleMarkets/ntcharts/v2/sparkline"
	"github.com/charmbracelet/x/ansi"

	"ocaptain/fleet/clean"
	"ocaptain/fleet/cost"
	"ocaptain/theme"
	"ocaptain/ui/dash/pane"
	"ocaptain/ui/words"
)

// roomy is the width from which every number is shown.
const roomy = 98

// draw returns the rows of the page, which may be more than fit on the screen.
func (d *Data) draw(width int) (rows []string) {
	for _, line := range words.CostLines(d.Ships) {
		rows = append(rows, theme.Dim.Render(fmt.Sprintf("%-9s ", line[0]))+line[1])
	}
	if len(d.Ships.Rows) == 0 {
		why := "no agent has told what it used"
		if d.Off {
			why = "this voyage sails without telemetry"
		}
		return append(rows, "", theme.Dim.Render("○ "+why), theme.Dim.Render("  what is known from transcripts: ocaptain status"))
	}
	for _, r := range []cost.Report{d.Ships, d.Roles, d.Models, d.Tasks} {
		rows = append(rows, "")
		rows = append(rows, d.table(r, width)...)
	}
	return rows
}

// table returns a row for each row of a report; a row of a ship ends with the ship's use in the last minutes.
func (d *Data) table(r cost.Report, width int) []string {
	c := columnsOf(r, width)
	rows := []string{theme.Dim.Render(c.line(strings.ToUpper(string(r.By)), heads) + c.flowHead())}
	for i := range r.Rows {
		is := &r.Rows[i]
		rows = append(rows, theme.Plain.Render(c.line(nameOf(is), texts(is)))+c.flow(d.Flows[is.Name]))
	}
	if r.By == cost.Ship {
		all := theme.Title.Render(c.line("all", texts(&cost.Row{Totals: r.Total, CacheHits: r.CacheHits})))
		rows = append(rows, all+c.flow(d.All))
	}
	return rows
}

// nameOf returns the name of a row.
func nameOf(r *cost.Row) string { return cmp.Or(clean.Line(r.Name), "none") }

// heads are the headings of the numbers, in the order of texts.
var heads = []string{"COST", "TOKENS", "CACHED", "OUT", "ACTIVE", "ERRORS"}

// texts returns the numbers of a row.
func texts(r *cost.Row) []string {
	return []string{
		cmp.Or(words.AgentCost(r.Totals), "-"), words.Amount(r.Totals.Tokens.All()), words.Share(r.CacheHits),
		words.Amount(r.Totals.Tokens.Output), words.Active(r.Totals.Active), words.Amount(r.Totals.ToolErrors),
	}
}

// columns holds the widths of a table.
type columns struct {
	name    int // in cells
	numbers int // how many numbers fit
	bars    int // bars of the last minutes, a cell each; 0 for none
}

// Widths in cells: of a number with its gap, and of what comes before the bars: a gap, the tokens of the last minute, and
// a gap.
const (
	numberCells = 9
	beforeBars  = 2 + lastCells + 1
	lastCells   = 6
	fewBars     = 8  // fewer bars say nothing
	someBars    = 30 // so many bars are worth more than a name in full
)

// columnsOf gives names the width that they need, as far as there is room.
func columnsOf(r cost.Report, width int) columns {
	c := columns{name: 12, numbers: 3}
	if width >= roomy {
		c = columns{name: 20, numbers: len(heads)}
	}
	if r.By == cost.Model { // no agent reports which model its time and its tools' errors belong to
		c.numbers = min(c.numbers, 4)
	}
	room := width - c.numbers*numberCells
	if r.By == cost.Ship {
		room -= beforeBars
	}
	longest := 0
	for i := range r.Rows {
		longest = max(longest, ansi.StringWidth(nameOf(&r.Rows[i])))
	}
	if r.By != cost.Ship {
		c.name = max(c.name, min(longest, room))
		return c
	}
	c.name = max(c.name, min(longest, room-someBars))
	if c.bars = min(room-c.name, minutes); c.bars < fewBars {
		c.bars = 0
	}
	return c
}

// line returns a row with a name and as many numbers as fit.
func (c columns) line(name string, numbers []string) string {
	var b strings.Builder
	b.WriteString(pane.Fit(name, c.name))
	for _, n := range numbers[:c.numbers] {
		fmt.Fprintf(&b, " %*s", numberCells-1, n)
	}
	return b.String()
}

// flowHead returns the heading of the bars.
func (c columns) flowHead() string {
	if c.bars == 0 {
		return ""
	}
	head := fmt.Sprintf("TOKENS A MINUTE, LAST %d MINUTES", c.bars)
	if len(head) > lastCells+1+c.bars {
		head = "TOKENS/MIN"
	}
	return "  " + head
}

// flow draws the tokens of the last minute as a number, and the tokens of each minute as bars.
func (c columns) flow(all []int64) string {
	if c.bars == 0 || len(all) < c.bars {
		return ""
	}
	data := make([]float64, 0, c.bars)
	for _, n := range all[len(all)-c.bars:] {
		data = append(data, float64(n))
	}
	chart := sparkline.New(c.bars, 1, sparkline.WithStyle(theme.Working), sparkline.WithData(data))
	chart.Draw()
	return fmt.Sprintf("  %*s ", lastCells, words.Amount(all[len(all)-1])) + strings.TrimRight(chart.View(), "\n")
}
