package words

import (
	"strings"
	"testing"

	"ocaptain/fleet/telemetry/usage"

	"ocaptain/fleet/cost"
)

// If an agent reports no cost, its cost is unknown, not nothing.
func TestAgentCost(t *testing.T) {
	for _, tt := range []struct {
		used       usage.Totals
		text, line string
	}{
		{usage.Totals{}, "", "nothing, by their own estimate"},
		{usage.Totals{Cost: 1_250_000_000}, "$1.25", "$1.25, by their own estimate"},
		{usage.Totals{Unpriced: 1200}, "unknown", "unknown: for 1.2k tokens they tell no cost"},
		{usage.Totals{Cost: 1_250_000_000, Unpriced: 1200}, "≥$1.25", "≥$1.25: for 1.2k tokens they tell no cost"},
	} {
		if got := AgentCost(tt.used); got != tt.text {
			t.Errorf("%+v costs %q, want %q", tt.used, got, tt.text)
		}
		r := cost.New(cost.Facts{Rows: []usage.Row{{Totals: tt.used}}}, cost.Ship)
		if got := CostLines(r)[0]; got != [2]string{"agents", tt.line} {
			t.Errorf("%+v is told as %q, want %q", tt.used, strings.Join(got[:], " "), tt.line)
		}
	}
}
