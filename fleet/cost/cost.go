// Package cost adds up what a voyage costs: what its agents report that they have used, what its machines cost by the prices that the
// captain has set, and what the remaining tasks may cost.
package cost

import (
	"fmt"
	"math"
	"time"

	"ocaptain/fleet/telemetry/usage"

	"ocaptain/fleet"
	"ocaptain/tasks"
)

// Facts are what a report is made from.
type Facts struct {
	Rows   []usage.Row
	Tasks  []tasks.State
	Bill   fleet.Bill
	Budget fleet.Budget
	Told   fleet.Usage // according to the agents' transcripts
}

// Report is what a voyage costs.
type Report struct {
	By        By           `json:"by"`
	Rows      []Row        `json:"rows"`
	Total     usage.Totals `json:"total"`
	CacheHits *float64     `json:"cacheHits"`   // the share of input tokens that came from the cache; null when there are no input tokens
	Told      float64      `json:"transcripts"` // US dollars for the agents, according to their transcripts
	Budget    fleet.Budget `json:"budget,omitzero"`
	Machines  fleet.Bill   `json:"machines"`  // by the prices that the captain has set
	Completed int          `json:"completed"` // number of tasks
	Remaining int          `json:"remaining"` // number of tasks
	PerTask   *float64     `json:"perTask"`   // US dollars for the agents: the mean of the Measured tasks; null when there are none
	Measured  int          `json:"measured"`  // how many completed tasks have a known total cost
	Forecast  *float64     `json:"forecast"`  // US dollars for the agents to do the remaining tasks; null when PerTask is
}

// Row is the usage of one ship, role, model, task or hour.
type Row struct {
	Name      string       `json:"name"` // "" for usage that belongs to none
	Totals    usage.Totals `json:"totals"`
	CacheHits *float64     `json:"cacheHits"`
}

// By says what the rows of a report stand for.
type By string

// The kinds of rows.
const (
	Ship  By = "ship"
	Role  By = "role"
	Model By = "model"
	Task  By = "task"
	Hour  By = "hour"
)

// Ways are all kinds of rows.
var Ways = []By{Ship, Role, Model, Task, Hour}

// name returns the name of the row to which a key's usage belongs.
func (by By) name(k usage.Key) string {
	switch by {
	case Role:
		return k.Role
	case Model:
		return k.Model
	case Task:
		return k.Task
	case Hour:
		if k.Hour == 0 {
			return ""
		}
		return time.Unix(k.Hour, 0).UTC().Format(time.RFC3339)
	default:
		return k.Ship
	}
}

// New returns a report with rows of that kind.
func New(f Facts, by By) Report {
	r := Report{By: by, Rows: []Row{}, Budget: f.Budget, Machines: f.Bill, Told: f.Told.CostUSD}
	index := map[string]int{}
	spent, unpriced := map[string]usage.Dollars{}, map[string]bool{}
	for _, row := range f.Rows {
		name := by.name(row.Key)
		i, ok := index[name]
		if !ok {
			i = len(r.Rows)
			index[name] = i
			r.Rows = append(r.Rows, Row{Name: name})
		}
		r.Rows[i].Totals.Add(row.Totals)
		r.Total.Add(row.Totals)
		spent[row.Task] += row.Totals.Cost
		unpriced[row.Task] = unpriced[row.Task] || row.Totals.Unpriced > 0
	}
	sortRows(r.Rows, by)
	for i := range r.Rows {
		r.Rows[i].CacheHits = hits(r.Rows[i].Totals.Tokens)
	}
	r.CacheHits = hits(r.Total.Tokens)
	r.forecast(f.Tasks, spent, unpriced)
	return r
}

// Differs reports whether the agents' cost by their transcripts differs from the cost by telemetry by more than
// rounding.
func (r *Report) Differs() bool {
	total := r.Total.Cost.Dollars()
	return math.Abs(r.Told-total) > max(0.005, total/1000)
}

// hits returns the share of input tokens that came from the cache, nil when there are none.
func hits(t usage.Tokens) *float64 {
	asked := t.Input + t.CacheRead + t.CacheCreation
	if asked <= 0 {
		return nil
	}
	share := float64(t.CacheRead) / float64(asked)
	return &share
}

// forecast sets what a completed task costs on average, and what the remaining tasks may cost: that average for each, minus what was
// already spent on it. It leaves out tasks that consist of others and cancelled tasks.
func (r *Report) forecast(all []tasks.State, spent map[string]usage.Dollars, unpriced map[string]bool) {
	parents := map[string]bool{}
	for i := range all {
		t := &all[i]
		parents[t.Parent()] = true
	}
	var cost usage.Dollars
	var open []usage.Dollars
	for i := range all {
		t := &all[i]
		switch {
		case parents[t.ID] || t.Cancelled:
		case t.Status != tasks.Completed:
			open = append(open, spent[t.ID])
		default:
			r.Completed++
			if spent[t.ID] > 0 && !unpriced[t.ID] {
				cost += spent[t.ID]
				r.Measured++
			}
		}
	}
	r.Remaining = len(open)
	if r.Measured == 0 {
		return
	}
	mean := cost / usage.Dollars(r.Measured)
	var more usage.Dollars
	for _, already := range open {
		more += max(0, mean-already)
	}
	each, rest := mean.Dollars(), more.Dollars()
	r.PerTask, r.Forecast = &each, &rest
}

// Basis says in words what the forecast is based on.
func (r *Report) Basis() string {
	if r.Forecast == nil {
		return "no completed task was measured yet"
	}
	return fmt.Sprintf("as if each cost the mean of %d completed, less what was spent on it", r.Measured)
}
