// Package cost adds up what a voyage costs: what its agents say that they used, what its machines cost by the captain's own prices, and
// what the tasks that remain may cost.
package cost

import (
	"fmt"
	"math"
	"time"

	"ocaptain/fleet/telemetry/usage"

	"ocaptain/fleet"
	"ocaptain/tasks"
)

// Facts are what is known of a voyage.
type Facts struct {
	Rows   []usage.Row
	Tasks  []tasks.State
	Bill   fleet.Bill
	Budget fleet.Budget
	Told   fleet.Usage // what the agents' transcripts tell
}

// Report is what a voyage costs.
type Report struct {
	By        By           `json:"by"`
	Rows      []Row        `json:"rows"`
	Total     usage.Totals `json:"total"`
	CacheHits *float64     `json:"cacheHits"`   // share of the tokens asked that came from the cache; null when none were asked
	Told      float64      `json:"transcripts"` // US dollars of agents, by their transcripts
	Budget    fleet.Budget `json:"budget,omitzero"`
	Machines  fleet.Bill   `json:"machines"`  // by the captain's own prices
	Completed int          `json:"completed"` // tasks
	Remaining int          `json:"remaining"` // tasks
	PerTask   *float64     `json:"perTask"`   // US dollars of agents, mean of Measured; null when there are none
	Measured  int          `json:"measured"`  // completed tasks whose whole cost is known
	Forecast  *float64     `json:"forecast"`  // US dollars of agents for what remains; null where PerTask is
}

// Row is what one ship, role, model, task or hour used.
type Row struct {
	Name      string       `json:"name"` // "" for what is of none
	Totals    usage.Totals `json:"totals"`
	CacheHits *float64     `json:"cacheHits"`
}

// By says what a row of a report is of.
type By string

// What a row can be of.
const (
	Ship  By = "ship"
	Role  By = "role"
	Model By = "model"
	Task  By = "task"
	Hour  By = "hour"
)

// Ways are all of them.
var Ways = []By{Ship, Role, Model, Task, Hour}

// name is what a key has of that, and the key by which rows are in order.
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

// New makes a report.
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

// Differs reports whether transcripts tell another cost of agents than telemetry does, by more than rounding.
func (r *Report) Differs() bool {
	total := r.Total.Cost.Dollars()
	return math.Abs(r.Told-total) > max(0.005, total/1000)
}

// hits is the share of the tokens asked that came from the cache.
func hits(t usage.Tokens) *float64 {
	asked := t.Input + t.CacheRead + t.CacheCreation
	if asked <= 0 {
		return nil
	}
	share := float64(t.CacheRead) / float64(asked)
	return &share
}

// forecast tells what completed tasks cost, and what the others may: as much as the mean of these, less what was spent on them already.
// Tasks that consist of others are no work of their own, and cancelled ones were not done.
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

// Basis says in words what the forecast is made of.
func (r *Report) Basis() string {
	if r.Forecast == nil {
		return "no completed task was measured yet"
	}
	return fmt.Sprintf("as if each cost the mean of %d completed, less what was spent on it", r.Measured)
}
