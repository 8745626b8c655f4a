// Package dispatch tells what became of the dispatches of a pool.
package dispatch

import (
	"encoding/json"
	"fmt"
	"time"

	"ocaptain/fleet"
	"ocaptain/tasks"
	"ocaptain/tasks/journal"
)

// The kinds of journal records that tell of dispatches, each with a Mark.
const (
	KindBegan = "helm.dispatch.began"
	KindDone  = "helm.dispatch.done"
)

// Mark is how a dispatch stood when work on it began, and when it was done.
type Mark struct {
	Task    string      `json:"task"`
	Ship    string      `json:"ship"`
	Epoch   uint64      `json:"epoch"`
	Branch  string      `json:"branch,omitempty"`  // that holds the work
	Commit  string      `json:"commit,omitempty"`  // its head
	Changed int         `json:"changed,omitempty"` // files
	Said    string      `json:"said,omitempty"`    // the agent's last words
	Usage   fleet.Usage `json:"usage,omitzero"`    // of the ship since it was made
}

// Result is what is known of one dispatch.
type Result struct {
	Voyage  string    `json:"voyage"`
	Pool    string    `json:"pool"`
	Task    string    `json:"task"`
	Command string    `json:"command"`
	State   string    `json:"state"`            // queued, running, done, or failed
	Why     string    `json:"why,omitempty"`    // it failed
	Worker  string    `json:"worker,omitempty"` // that has or had it
	Base    string    `json:"base"`             // commit at which it began
	From    string    `json:"from,omitempty"`   // what the captain called that
	Branch  string    `json:"branch,omitempty"`
	Commit  string    `json:"commit,omitempty"`
	Changed int       `json:"changed"` // files
	Added   int       `json:"added"`   // lines
	Removed int       `json:"removed"`
	Commits int       `json:"commits"` // that the agent itself made
	Said    string    `json:"said,omitempty"`
	Asked   time.Time `json:"asked,omitzero"`
	Began   time.Time `json:"began,omitzero"`
	Ended   time.Time `json:"ended,omitzero"`
	Usage   Tokens    `json:"usage"`
}

// Tokens is what one dispatch has used.
type Tokens struct {
	Tokens  int64   `json:"tokens"`
	CostUSD float64 `json:"costUSD"`
}

// States of a dispatch.
const (
	Queued  = "queued"
	Running = "running"
	Done    = "done"
	Failed  = "failed"
)

// List lists the dispatches of a pool, the oldest first: what its board shows, with what its journal tells of them.
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
				return nil // helm wrote it again after the journal was damaged
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

// run is the work of a ship on one dispatch. What an agent has used is known a moment after the end of its turn. So all counts that
// the ship has used when it begins the next one.
type run struct {
	of          *Result     // nil for a dispatch that is gone
	before, now fleet.Usage // of the ship
}

// end takes the run into account, with what its ship has used by now.
func (r *run) end(used fleet.Usage) {
	if r == nil || r.of == nil {
		return
	}
	if used.Tokens.Sum() < r.now.Tokens.Sum() { // that of a ship that is gone is not known
		used = r.now
	}
	r.of.Usage.Tokens += used.Tokens.Sub(r.before.Tokens).Sum()
	r.of.Usage.CostUSD += used.CostUSD - r.before.CostUSD
}

// usageOf is what a ship has used, nothing for a ship that is gone.
func usageOf(b *fleet.Board, ship string) fleet.Usage {
	for i := range b.Ships {
		if b.Ships[i].Name == ship {
			return b.Ships[i].Usage
		}
	}
	return fleet.Usage{}
}

// result is what a board shows of a dispatch.
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

// Folder is that of the branches to which the work of dispatches goes.
const Folder = "dispatch"

// Branch is where the work of a dispatch goes.
func Branch(ship, task string) string {
	return fmt.Sprintf("%s/%s-%s", Folder, ship, task)
}

// stateOf is how a dispatch stands.
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

// takeMark takes in a record of the journal.
func (r *Result) takeMark(rec journal.Record, m Mark) {
	if r.Worker = m.Ship; rec.Kind == KindBegan {
		r.Began, r.Ended = rec.At, time.Time{}
		return
	}
	r.Ended, r.Branch, r.Commit, r.Changed, r.Said = rec.At, m.Branch, m.Commit, m.Changed, m.Said
}
