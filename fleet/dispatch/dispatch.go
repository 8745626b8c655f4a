// Package dispatch reports what became of the dispatches of a pool.
package dispatch

import (
	"encoding/json"
	"fmt"
	"time"

	"ocaptain/fleet"
	"ocaptain/tasks"
	"ocaptain/tasks/journal"
)

// The kinds of journal records about dispatches; the data of each is a Mark.
const (
	KindBegan = "helm.dispatch.began"
	KindDone  = "helm.dispatch.done"
)

// Mark is the state of a dispatch when work on it began, or when it was done.
type Mark struct {
	Task    string      `json:"task"`
	Ship    string      `json:"ship"`
	Epoch   uint64      `json:"epoch"`
	Branch  string      `json:"branch,omitempty"`  // the branch with the work
	Commit  string      `json:"commit,omitempty"`  // the head of the branch
	Changed int         `json:"changed,omitempty"` // number of changed files
	Said    string      `json:"said,omitempty"`    // the agent's last words
	Usage   fleet.Usage `json:"usage,omitzero"`    // what the ship has used since it was made
}

// Result is the state and the outcome of one dispatch.
type Result struct {
	Voyage  string    `json:"voyage"`
	Pool    string    `json:"pool"`
	Task    string    `json:"task"`
	Command string    `json:"command"`
	State   string    `json:"state"`            // queued, running, done, or failed
	Why     string    `json:"why,omitempty"`    // why it failed
	Worker  string    `json:"worker,omitempty"` // the ship that works or worked on it
	Base    string    `json:"base"`             // the commit at which it began
	From    string    `json:"from,omitempty"`   // the captain's name for Base
	Branch  string    `json:"branch,omitempty"`
	Commit  string    `json:"commit,omitempty"`
	Changed int       `json:"changed"` // number of files
	Added   int       `json:"added"`   // number of lines
	Removed int       `json:"removed"`
	Commits int       `json:"commits"` // number of commits by the agent itself
	Said    string    `json:"said,omitempty"`
	Asked   time.Time `json:"asked,omitzero"`
	Began   time.Time `json:"began,omitzero"`
	Ended   time.Time `json:"ended,omitzero"`
	Usage   Tokens    `json:"usage"`
}

// Tokens are the tokens that one dispatch has used.
type Tokens struct {
	Tokens  int64   `json:"tokens"`
	CostUSD float64 `json:"costUSD"`
}

// The states of a dispatch.
const (
	Queued  = "queued"
	Running = "running"
	Done    = "done"
	Failed  = "failed"
)

// List returns the dispatches of a pool, the oldest first, from its board and its journal.
func List(d fleet.Dir, b *fleet.Board) ([]Result, error) {
	all := make([]Result, 0, len(b.Tasks))
	at, runs, read := map[string]*Result{}, map[string]*run{}, map[string]bool{}
	for i := range b.Tasks {
		all = append(all, result(b, &b.Tasks[i]))
	}
	for i := range all {
		at[all[i].Task] = &all[i]
	}
	_, err := journal.Read(d.Events(), 0, func(rec journal.Record) error {
		switch rec.Kind {
		case KindBegan, KindDone:
			var m Mark
			if err := json.Unmarshal(rec.Data, &m); err != nil {
				return fmt.Errorf("journal before byte %d: %w", rec.Seq, err)
			}
			claim := rec.Kind + tasks.ClaimID(m.Task, m.Epoch)
			if read[claim] {
				return nil // helm wrote the record again after the journal was damaged
			}
			read[claim] = true
			if r := at[m.Task]; r != nil {
				r.takeMark(rec, m)
			}
			if rec.Kind == KindBegan {
				runs[m.Ship].end(m.Usage)
				runs[m.Ship] = &run{of: at[m.Task], before: m.Usage}
			}
			if r := runs[m.Ship]; r != nil {
				r.now = m.Usage
			}
		}
		return nil
	})
	for ship, r := range runs {
		r.end(usageOf(b, ship))
	}
	return all, err
}

// run is the work of a ship on one dispatch. What an agent has used is known only a moment after its turn. So a dispatch counts all
// that the ship has used until it begins the next dispatch.
type run struct {
	of          *Result     // nil for a dispatch that is gone
	before, now fleet.Usage // the ship's usage at the start of the run, and later
}

// end ends the run. used is what the ship has used by now.
func (r *run) end(used fleet.Usage) {
	if r == nil || r.of == nil {
		return
	}
	if used.Tokens.Sum() < r.now.Tokens.Sum() { // the usage of a ship that is gone is unknown
		used = r.now
	}
	r.of.Usage.Tokens += used.Tokens.Sub(r.before.Tokens).Sum()
	r.of.Usage.CostUSD += used.CostUSD - r.before.CostUSD
}

// usageOf returns what a ship has used, the zero Usage for a ship that is gone.
func usageOf(b *fleet.Board, ship string) fleet.Usage {
	for i := range b.Ships {
		if b.Ships[i].Name == ship {
			return b.Ships[i].Usage
		}
	}
	return fleet.Usage{}
}

// result returns the result of a dispatch as far as the board knows it.
func result(b *fleet.Board, t *tasks.State) Result {
	asked := t.Dispatch()
	r := Result{
		Voyage: b.Voyage.ID, Pool: b.Voyage.Name, Task: t.ID, Command: t.Description, State: stateOf(t), Worker: t.Owner,
		Base: asked.Base, From: asked.From, Asked: asked.At,
	}
	switch {
	case t.OnHold:
		r.Why = t.Reason
	case r.State == Done:
		r.Branch, r.Commit = Branch(t.Owner, t.ID), t.Commit
	case b.Phase == fleet.Sinking || b.Phase == fleet.Sunk:
		r.State, r.Why = Failed, "the pool was sunk before it was done"
	}
	return r
}

// Folder is the first part of the names of branches with the work of dispatches.
const Folder = "dispatch"

// Branch returns the name of the branch for the work of a dispatch.
func Branch(ship, task string) string {
	return fmt.Sprintf("%s/%s-%s", Folder, ship, task)
}

// stateOf returns the state of a dispatch.
func stateOf(t *tasks.State) string {
	switch {
	case t.Status == tasks.Completed:
		return Done
	case t.Status == tasks.InProgress:
		return Running
	case t.OnHold && t.HeldBy != fleet.Captain:
		return Failed
	}
	return Queued
}

// takeMark adds what a journal record says.
func (r *Result) takeMark(rec journal.Record, m Mark) {
	if r.Worker = m.Ship; rec.Kind == KindBegan {
		r.Began, r.Ended = rec.At, time.Time{}
		return
	}
	r.Ended, r.Branch, r.Commit, r.Changed, r.Said = rec.At, m.Branch, m.Commit, m.Changed, m.Said
}
