// Package tasks holds the work of a voyage: the tasks, the graph they form, the
// plan that they come from, and the contract of the store that hands them out.
package tasks

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
)

// Status is how far a task is. These three are the only ones that Claude Code
// reads; it ignores a whole file that has another.
type Status string

// The states of a task.
const (
	Pending    Status = "pending"
	InProgress Status = "in_progress"
	Completed  Status = "completed"
)

// Valid reports whether s is one of the three states.
func (s Status) Valid() bool { return s == Pending || s == InProgress || s == Completed }

// Task is one piece of work, in the shape of Claude Code's task files.
//
// Everything that ocaptain adds lives under Metadata, because Claude Code keeps
// metadata when it rewrites a file and drops top-level fields that it does not know.
type Task struct {
	ID          string
	Subject     string
	Description string
	ActiveForm  string // what the task is called while somebody works on it
	Owner       string // the ship that holds it, "" for nobody
	Status      Status
	Blocks      []string // ids of tasks that wait for this one
	BlockedBy   []string // ids of tasks that this one waits for; all must be completed
	Metadata    map[string]any

	// Extra holds the top-level fields that ocaptain does not know, as they were read.
	Extra map[string]json.RawMessage
}

// Run is the shell command that does the task, for the script agent (metadata.run).
func (t Task) Run() string { return t.text("run") }

// Verify is the shell command that must succeed before the task is merged (metadata.verify).
func (t Task) Verify() string { return t.text("verify") }

// Group names the tasks that one ship claims together (metadata.group).
func (t Task) Group() string { return t.text("group") }

// Priority orders ready tasks: 0 is the most urgent, 4 the least, 2 when unset (metadata.priority).
func (t Task) Priority() int {
	if p, ok := t.Metadata["priority"].(float64); ok && p >= 0 && p <= 4 {
		return int(p)
	}
	return 2
}

// Internal reports whether the task is hidden from agents (metadata._internal).
func (t Task) Internal() bool {
	switch v := t.Metadata["_internal"].(type) {
	case bool:
		return v
	case nil:
		return false
	default:
		return true
	}
}

func (t Task) text(key string) string {
	s, _ := t.Metadata[key].(string)
	return s
}

// Clone returns a copy that shares nothing with t that a caller may change.
func (t Task) Clone() Task {
	t.Blocks = slices.Clone(t.Blocks)
	t.BlockedBy = slices.Clone(t.BlockedBy)
	t.Metadata = maps.Clone(t.Metadata)
	t.Extra = maps.Clone(t.Extra)
	return t
}

// file is the wire form, in the key order that Claude Code writes.
type file struct {
	ID          string         `json:"id"`
	Subject     string         `json:"subject"`
	Description string         `json:"description"`
	ActiveForm  string         `json:"activeForm,omitempty"`
	Owner       string         `json:"owner,omitempty"`
	Status      Status         `json:"status"`
	Blocks      []string       `json:"blocks"`
	BlockedBy   []string       `json:"blockedBy"`
	Metadata    map[string]any `json:"metadata,omitempty"`
}

// known lists the keys that file holds.
var known = []string{"id", "subject", "description", "activeForm", "owner", "status", "blocks", "blockedBy", "metadata"}

// MarshalJSON writes a file that Claude Code accepts: both lists always there,
// optional fields left out rather than null, unknown fields last.
func (t Task) MarshalJSON() ([]byte, error) {
	f := file{t.ID, t.Subject, t.Description, t.ActiveForm, t.Owner, t.Status, t.Blocks, t.BlockedBy, t.Metadata}
	if f.Blocks == nil {
		f.Blocks = []string{}
	}
	if f.BlockedBy == nil {
		f.BlockedBy = []string{}
	}
	out, err := marshal(f)
	if err != nil || len(t.Extra) == 0 {
		return out, err
	}
	for _, k := range slices.Sorted(maps.Keys(t.Extra)) {
		if slices.Contains(known, k) {
			continue
		}
		key, err := marshal(k)
		if err != nil {
			return nil, err
		}
		out = slices.Concat(out[:len(out)-1], []byte(","), key, []byte(":"), t.Extra[k], []byte("}"))
	}
	return out, nil
}

// marshal encodes without HTML escapes, as JavaScript does.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimRight(b.Bytes(), "\n"), nil
}

// UnmarshalJSON reads a task leniently: title, which older plans use, stands for a
// missing subject, a missing status is pending, null lists are empty. It refuses
// wrong types. Keys count in their exact case only, as in JavaScript.
func (t *Task) UnmarshalJSON(data []byte) error {
	var all map[string]json.RawMessage
	if err := json.Unmarshal(data, &all); err != nil {
		return err
	}
	if all == nil {
		return errors.New("task is null")
	}
	var read Task
	for _, f := range []struct {
		key  string
		into any
	}{
		{"id", &read.ID},
		{"subject", &read.Subject},
		{"description", &read.Description},
		{"activeForm", &read.ActiveForm},
		{"owner", &read.Owner},
		{"status", &read.Status},
		{"blocks", &read.Blocks},
		{"blockedBy", &read.BlockedBy},
		{"metadata", &read.Metadata},
	} {
		if err := take(all, f.key, f.into); err != nil {
			return err
		}
	}
	if read.Subject == "" {
		if err := take(all, "title", &read.Subject); err != nil {
			return err
		}
	}
	if read.Status == "" {
		read.Status = Pending
	}
	if len(all) > 0 {
		read.Extra = all
	}
	*t = read
	return nil
}

// take moves the value of key from all to into.
func take(all map[string]json.RawMessage, key string, into any) error {
	raw, ok := all[key]
	if !ok {
		return nil
	}
	delete(all, key)
	if err := json.Unmarshal(raw, into); err != nil {
		return fmt.Errorf("%s: %w", key, err)
	}
	return nil
}

// CompareIDs orders ids as people read them: numbers by value and before words.
func CompareIDs(a, b string) int {
	x, ex := strconv.ParseUint(a, 10, 63)
	y, ey := strconv.ParseUint(b, 10, 63)
	switch {
	case ex == nil && ey == nil && x != y:
		if x < y {
			return -1
		}
		return 1
	case ex == nil && ey != nil:
		return -1
	case ex != nil && ey == nil:
		return 1
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}
