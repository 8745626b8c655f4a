package costpage

import (
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

// roomy is the width from which on every number is shown.
const roomy = 100

// draw makes the rows of the page, which may be longer than the screen.
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

// table has a row for each row of a report; that of ships ends with what each used in the last minutes.
func (d *Data) table(r cost.Report, width int) []string {
	flows := r.By == cost.Ship
	head := theme.Dim.Render(line(strings.ToUpper(string(r.By)), texts(nil), width))
	if flows {
		head += theme.Dim.Render(fmt.Sprintf("  TOKENS A MINUTE, LAST %d MINUTES", minutes))
	}
	rows := []string{head}
	for i := range r.Rows {
		name := r.Rows[i].Name
		if name == "" {
			name = "none"
		}
		row := theme.Plain.Render(line(clean.Line(name), texts(&r.Rows[i]), width))
		if flows {
			row += "  " + flow(d.Flows[r.Rows[i].Name], width-ansi.StringWidth(row)-2)
		}
		rows = append(rows, row)
	}
	if flows {
		row := theme.Title.Render(line("all", texts(&cost.Row{Totals: r.Total, CacheHits: r.CacheHits}), width))
		rows = append(rows, row+"  "+flow(d.All, width-ansi.StringWidth(row)-2))
	}
	return rows
}

// texts are the numbers of a row, nil for their headings.
func texts(r *cost.Row) []string {
	if r == nil {
		return []string{"COST", "TOKENS", "CACHED", "OUT", "ACTIVE", "ERRORS"}
	}
	usd := words.Dollars(r.Totals.Cost.Dollars())
	if usd == "" {
		usd = "-"
	}
	return []string{
		usd, words.Amount(r.Totals.Tokens.All()), words.Share(r.CacheHits), words.Amount(r.Totals.Tokens.Output), words.Duration(r.Totals.Active),
		words.Amount(r.Totals.ToolErrors),
	}
}

// line has a name and as many numbers as there is room for.
func line(name string, numbers []string, width int) string {
	wide, most := 12, 3
	if width >= roomy {
		wide, most = 20, len(numbers)
	}
	var b strings.Builder
	b.WriteString(pane.Fit(name, wide))
	for _, n := range numbers[:most] {
		fmt.Fprintf(&b, " %8s", n)
	}
	return b.String()
}

// flow draws tokens by minute as bars, after those of the last minute as a number.
func flow(all []int64, width int) string {
	const number = 7
	room := min(width-number, len(all))
	if room < 8 {
		return ""
	}
	data := make([]float64, 0, room)
	for _, n := range all[len(all)-room:] {
		data = append(data, float64(n))
	}
	chart := sparkline.New(room, 1, sparkline.WithStyle(theme.Working), sparkline.WithData(data))
	chart.Draw()
	return fmt.Sprintf("%*s ", number-1, words.Amount(all[len(all)-1])) + strings.TrimRight(chart.View(), "\n")
}
