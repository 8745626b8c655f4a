package fleet

import (
	"encoding/json"
	"fmt"
	"time"

	"ocaptain/tasks"
	"ocaptain/tasks/journal"
)

// The kinds of journal records that tell of dispatches, each with a DispatchMark.
const (
	KindDispatchBegan = "helm.dispatch.began"
	KindDispatchDone  = "helm.dispatch.done"
)

// DispatchMark is how a dispatch stood when work on it began, and when it was done.
type DispatchMark struct {
	Task    string `json:"task"`
	Ship    string `json:"ship"`
	Epoch   uint64 `json:"epoch"`
	Branch  string `json:"branch,omitempty"`  // that holds the work
	Commit  string `json:"commit,omitempty"`  // its head
	Changed int    `json:"changed,omitempty"` // files
	Said    string `json:"said,omitempty"`    // the agent's last words
	Usage   Usage  `json:"usage,omitzero"`    // of the ship since it was made
}

// DispatchResult is what is known of one dispatch.
type DispatchResult struct {
	Voyage  string         `json:"voyage"`
	Pool    string         `json:"pool"`
	Task    string         `json:"task"`
	Command string         `json:"command"`
	State   string         `json:"state"`            // queued, running, done, or failed
	Why     string         `json:"why,omitempty"`    // it failed
	Worker  string         `json:"worker,omitempty"` // that has or had it
	Base    string         `json:"base"`             // commit at which it began
	From    string         `json:"from,omitempty"`   // what the captain called that
	Branch  string         `json:"branch,omitempty"`
	Commit  string         `json:"commit,omitempty"`
	Changed int            `json:"changed"` // files
	Added   int            `json:"added"`   // lines
	Removed int            `json:"removed"`
	Commits int            `json:"commits"` // that the agent itself made
	Said    string         `json:"said,omitempty"`
	Asked   time.Time      `json:"asked,omitzero"`
	Began   time.Time      `json:"began,omitzero"`
	Ended   time.Time      `json:"ended,omitzero"`
	Usage   DispatchTokens `json:"usage"`
}

// DispatchTokens is what one dispatch has used.
type DispatchTokens struct {
	Tokens  int64   `json:"tokens"`
	CostUSD float64 `json:"costUSD"`
}

// States of a dispatch.
const (
	DispatchQueued  = "queued"
	DispatchRunning = "running"
	DispatchDone    = "done"
	DispatchFailed  = "failed"
)

// Dispatches lists the dispatches of a pool, the oldest first: what its board shows, with what its journal tells of them.
func Dispatches(d Dir, b *Board) ([]DispatchResult, error) {
	all := make([]DispatchResult, 0, len(b.Tasks))
	at, runs, read := map[string]*DispatchResult{}, map[string]*run{}, map[string]bool{}
	for i := range b.Tasks {
		all = append(all, b.dispatch(&b.Tasks[i]))
	}
	for i := range all {
		at[all[i].Task] = &all[i]
	}
	_, err := journal.Read(d.Events(), 0, func(rec journal.Record) error {
		switch rec.Kind {
		case KindDispatchBegan, KindDispatchDone:
			var m DispatchMark
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
			if rec.Kind == KindDispatchBegan {
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
		r.end(b.usageOf(ship))
	}
	return all, err
}

// run is the work of a ship on one dispatch. What an agent has used is known a moment after the end of its turn. So all counts that
// the ship has used when it begins the next one.
type run struct {
	of          *DispatchResult // nil for a dispatch that is no more
	before, now Usage           // of the ship
}

// end takes the run into account, with what its ship has used by now.
func (r *run) end(used Usage) {
	if r == nil || r.of == nil {
		return
	}
	if used.Tokens.Sum() < r.now.Tokens.Sum() { // that of a ship that is gone is not known
		used = r.now
	}
	r.of.Usage.Tokens += used.Tokens.Sub(r.before.Tokens).Sum()
	r.of.Usage.CostUSD += used.CostUSD - r.before.CostUSD
}

// usageOf is what a ship has used, nothing for one that is gone.
func (b *Board) usageOf(ship string) Usage {
	for i := range b.Ships {
		if b.Ships[i].Name == ship {
			return b.Ships[i].Usage
		}
	}
	return Usage{}
}

// dispatch is what a board shows of a dispatch.
func (b *Board) dispatch(t *tasks.State) DispatchResult {
	asked := t.Dispatch()
	r := DispatchResult{
		Voyage: b.Voyage.ID, Pool: b.Voyage.Name, Task: t.ID, Command: t.Description, State: stateOf(t), Worker: t.Owner,
		Base: asked.Base, From: asked.From, Asked: asked.At,
	}
	switch {
	case t.OnHold:
		r.Why = t.Reason
	case r.State == DispatchDone:
		r.Branch, r.Commit = DispatchBranch(t.Owner, t.ID), t.Commit
	case b.Phase == Sinking || b.Phase == Sunk:
		r.State, r.Why = DispatchFailed, "the pool was sunk before it was done"
	}
	return r
}

// DispatchFolder is that of the branches to which the work of dispatches goes.
const DispatchFolder = "dispatch"

// DispatchBranch is where the work of a dispatch goes.
func DispatchBranch(ship, task string) string {
	return fmt.Sprintf("%s/%s-%s", DispatchFolder, ship, task)
}

// stateOf is how a dispatch stands.
func stateOf(t *tasks.State) string {
	switch {
	case t.Status == tasks.Completed:
		return DispatchDone
	case t.Status == tasks.InProgress:
		return DispatchRunning
	case t.OnHold:
		return DispatchFailed
	}
	return DispatchQueued
}

// takeMark takes in a record of the journal.
func (r *DispatchResult) takeMark(rec journal.Record, m DispatchMark) {
	if r.Worker = m.Ship; rec.Kind == KindDispatchBegan {
		r.Began, r.Ended = rec.At, time.Time{}
		return
	}
	r.Ended, r.Branch, r.Commit, r.Changed, r.Said = rec.At, m.Branch, m.Commit, m.Changed, m.Said
}
