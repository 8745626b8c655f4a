package words

import (
	"cmp"
	"fmt"
	"time"

	"ocaptain/fleet/telemetry/usage"

	"ocaptain/fleet/cost"
)

// Share writes a share in percent, "-" when it is unknown.
func Share(of *float64) string {
	if of == nil {
		return "-"
	}
	return fmt.Sprintf("%d %%", int(*of*100))
}

// Active writes how long agents were at work, "-" when that is unknown.
func Active(d time.Duration) string {
	if d == 0 {
		return "-"
	}
	return Duration(d)
}

// AgentCost writes what agents have cost: "unknown" when they report no cost, "" when they used nothing.
func AgentCost(t usage.Totals) string {
	usd := Dollars(t.Cost.Dollars())
	switch {
	case t.Unpriced == 0:
		return usd
	case usd == "":
		return "unknown"
	}
	return "≥" + usd
}

// CostLines returns the name and the text of each line that sums up a report. A line without a name continues
// the line before.
func CostLines(r cost.Report) (lines [][2]string) {
	add := func(name, text string) { lines = append(lines, [2]string{name, text}) }
	told := ""
	if r.Differs() && r.Told > 0 {
		told = Dollars(r.Told) + " by their transcripts"
	}
	if len(r.Rows) == 0 && told != "" {
		add("agents", told)
	}
	if len(r.Rows) > 0 {
		text := cmp.Or(AgentCost(r.Total), "nothing") + ", by their own estimate"
		if r.Total.Unpriced > 0 {
			text = fmt.Sprintf("%s: for %s tokens they tell no cost", AgentCost(r.Total), Amount(r.Total.Unpriced))
		}
		if told != "" {
			text += "; " + told
		}
		add("agents", text)
	}
	if r.Budget.Max > 0 {
		add("budget", r.Budget.String())
	}
	if len(r.Rows) > 0 {
		add("tools", fmt.Sprintf("%s, %d failed", Counted(int(r.Total.Tools), "run"), r.Total.ToolErrors))
	}
	add("machines", cmp.Or(Costs(r.Machines), "unknown: no price is set, see ocaptain help costs"))
	add("tasks", fmt.Sprintf("%d completed, %d remaining", r.Completed, r.Remaining))
	if r.PerTask != nil {
		add("per task", fmt.Sprintf("%s for a completed one, the mean of %d", cmp.Or(Dollars(*r.PerTask), "nothing"), r.Measured))
	}
	switch {
	case r.Remaining == 0:
	case r.Forecast == nil:
		add("forecast", "unknown: "+r.Basis())
	default:
		add("forecast", fmt.Sprintf("%s more of agents for %s,", cmp.Or(Dollars(*r.Forecast), "nothing"), Counted(r.Remaining, "task")))
		add("", r.Basis())
	}
	return lines
}
