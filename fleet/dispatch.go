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
	at, began := map[string]*DispatchResult{}, map[string]Usage{}
	for i := range b.Tasks {
		t := &b.Tasks[i]
		asked := t.Dispatch()
		all = append(all, DispatchResult{
			Voyage: b.Voyage.ID, Pool: b.Voyage.Name, Task: t.ID, Command: t.Description, State: stateOf(t), Worker: t.Owner,
			Base: asked.Base, From: asked.From, Asked: asked.At,
		})
		if t.OnHold {
			all[i].Why = t.Reason
		}
		if t.Status == tasks.Completed {
			all[i].Branch, all[i].Commit = DispatchBranch(t.Owner, t.ID), t.Commit
		}
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
			if r := at[m.Task]; r != nil {
				r.takeMark(rec, m, began[m.Task])
			}
			began[m.Task] = m.Usage
		}
		return nil
	})
	return all, err
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

// takeMark takes in a record of the journal. What the ship had used when work began is not the dispatch's.
func (r *DispatchResult) takeMark(rec journal.Record, m DispatchMark, before Usage) {
	if r.Worker = m.Ship; rec.Kind == KindDispatchBegan {
		r.Began, r.Ended = rec.At, time.Time{}
		return
	}
	r.Ended, r.Branch, r.Commit, r.Changed, r.Said = rec.At, m.Branch, m.Commit, m.Changed, m.Said
	r.Usage = DispatchTokens{m.Usage.Tokens.Sub(before.Tokens).Sum(), m.Usage.CostUSD - before.CostUSD}
}
