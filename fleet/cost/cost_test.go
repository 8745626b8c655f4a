package cost

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"ocaptain/fleet/telemetry/usage"

	"ocaptain/fleet"
	"ocaptain/tasks"
)

func row(ship, role, task, model string, hour int64, usd float64, read int64) usage.Row {
	return usage.Row{Key: usage.Key{Ship: ship, Role: role, Task: task, Model: model, Hour: hour}, Totals: usage.Totals{
		Cost: usage.Dollars(usd * 1e9), Tokens: usage.Tokens{Input: 10, CacheRead: read}, Tools: 1,
	}}
}

var rows = []usage.Row{
	row("ship-0", "worker", "1", "big", 3600, 1, 30),
	row("ship-0", "worker", "2", "big", 7200, 3, 0),
	row("ship-1", "worker", "10", "small", 7200, 0.5, 10),
	row("ship-2", "planner", "", "big", 3600, 8, 0),
}

func state(id string, status tasks.Status) tasks.State {
	return tasks.State{Task: tasks.Task{ID: id, Status: status}}
}

// TestRows checks the rows of every kind.
func TestRows(t *testing.T) {
	for by, want := range map[By]string{
		Ship:  "ship-2 8, ship-0 4, ship-1 0.5",
		Role:  "planner 8, worker 4.5",
		Model: "big 12, small 0.5",
		Task:  "1 1, 2 3, 10 0.5,  8",
		Hour:  "1970-01-01T01:00:00Z 9, 1970-01-01T02:00:00Z 3.5",
	} {
		r := New(Facts{Rows: rows}, by)
		var got []string
		for _, row := range r.Rows {
			got = append(got, fmt.Sprintf("%s %v", row.Name, row.Totals.Cost.Dollars()))
		}
		if strings.Join(got, ", ") != want {
			t.Errorf("by %s: %q, want %q", by, strings.Join(got, ", "), want)
		}
		if r.Total.Cost.Dollars() != 12.5 || r.Total.Tools != 4 || r.CacheHits == nil || *r.CacheHits != 0.5 {
			t.Errorf("by %s the total is %+v, %v", by, r.Total, r.CacheHits)
		}
	}
}

// TestForecast covers tasks that are completed, in progress, not begun and cancelled, and tasks that consist of
// others.
func TestForecast(t *testing.T) {
	part := state("3", tasks.Pending)
	part.Metadata = map[string]any{"parent": "9"}
	gone := state("4", tasks.Completed)
	gone.Cancelled = true
	for _, tt := range []struct {
		name                string
		tasks               []tasks.State
		perTask, forecast   float64 // NaN for none
		completed, measured int
		remaining           int
	}{
		{"nothing", nil, math.NaN(), math.NaN(), 0, 0, 0},
		{"nothing is done", []tasks.State{state("1", tasks.InProgress)}, math.NaN(), math.NaN(), 0, 0, 1},
		{"nothing is measured", []tasks.State{state("7", tasks.Completed), state("8", tasks.Pending)}, math.NaN(), math.NaN(), 1, 0, 1},
		{"all is done", []tasks.State{state("1", tasks.Completed), state("2", tasks.Completed)}, 2, 0, 2, 2, 0},
		{"one is not begun", []tasks.State{state("1", tasks.Completed), state("2", tasks.Completed), state("8", tasks.Pending)}, 2, 2, 2, 2, 1},
		{"one is under way", []tasks.State{state("1", tasks.Completed), state("2", tasks.Completed), state("10", tasks.InProgress)}, 2, 1.5, 2, 2, 1},
		{"one costs more", []tasks.State{state("1", tasks.Completed), state("2", tasks.InProgress)}, 1, 0, 1, 1, 1},
		{"cancelled", []tasks.State{state("1", tasks.Completed), gone}, 1, 0, 1, 1, 0},
		{"of parts", []tasks.State{state("1", tasks.Completed), state("9", tasks.InProgress), part}, 1, 1, 1, 1, 1},
	} {
		r := New(Facts{Rows: rows, Tasks: tt.tasks, Bill: fleet.Bill{Hour: 2, SoFar: 3}}, Ship)
		if !same(r.PerTask, tt.perTask) || !same(r.Forecast, tt.forecast) || r.Completed != tt.completed || r.Measured != tt.measured || r.Remaining != tt.remaining {
			t.Errorf("%s: %+v", tt.name, r)
		}
		if r.Machines.SoFar != 3 || r.Basis() == "" {
			t.Errorf("%s: machines %+v, %q", tt.name, r.Machines, r.Basis())
		}
	}
}

// A completed task without a reported cost does not count as measured.
func TestForecastWithoutCost(t *testing.T) {
	more := append(slices.Clone(rows), usage.Row{Key: usage.Key{Ship: "ship-0", Task: "2"}, Totals: usage.Totals{Tokens: usage.Tokens{Input: 5}, Unpriced: 5}})
	r := New(Facts{Rows: more, Tasks: []tasks.State{state("1", tasks.Completed), state("2", tasks.Completed), state("8", tasks.Pending)}}, Ship)
	if !same(r.PerTask, 1) || r.Measured != 1 || r.Completed != 2 || r.Total.Unpriced != 5 {
		t.Errorf("%+v", r)
	}
}

func same(got *float64, want float64) bool {
	if got == nil {
		return math.IsNaN(want)
	}
	return *got == want
}

func TestDiffers(t *testing.T) {
	for _, tt := range []struct {
		told float64
		want bool
	}{{12.5, false}, {12.51, false}, {12.4, true}, {0, true}} {
		r := New(Facts{Rows: rows, Told: fleet.Usage{CostUSD: tt.told}}, Ship)
		if r.Differs() != tt.want {
			t.Errorf("$12.5 and $%g differ: %v", tt.told, !tt.want)
		}
	}
}
