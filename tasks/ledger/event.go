package ledger

import (
	"encoding/json"
	"strings"

	"ocaptain/tasks"
	"ocaptain/tasks/journal"
)

// EventOf returns the event of a task that a record describes, or false if the record does not describe one task.
func EventOf(r journal.Record) (tasks.Event, bool) {
	kind, ok := strings.CutPrefix(r.Kind, Prefix)
	if !ok {
		return tasks.Event{}, false
	}
	switch kind {
	case reserved, claimed, HandedIn, Checked, Approved, Cancelled, Completed, requeued, edited:
	default:
		return tasks.Event{}, false
	}
	var c Change
	if json.Unmarshal(r.Data, &c) != nil {
		return tasks.Event{}, false
	}
	return tasks.Event{At: r.At, Kind: kind, Task: c.Task, Owner: c.Owner, Epoch: c.Epoch, Commit: c.Commit, Reason: c.Reason}, true
}
