// Package tasks holds the work of a voyage: the tasks, their graph, and the contract of the store
// that hands them out.
package tasks

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Status is the state of a task. Claude Code knows only these three states, and ignores a file with any other.
type Status string

// The states of a task.
const (
	Pending    Status = "pending"
	InProgress Status = "in_progress"
	Completed  Status = "completed"
)

// IsValid reports whether s is one of the three states.
func (s Status) IsValid() bool { return s == Pending || s == InProgress || s == Completed }

// Task is one piece of work, in the shape of Claude Code's task files.
//
// Everything that ocaptain adds lives under Metadata, because Claude Code keeps
// metadata when it rewrites a file and drops top-level fields that it does not know.
type Task struct {
	ID          string
	Subject     string
	Description string
	ActiveForm  string // the name of the task while somebody works on it
	Owner       string // the ship that holds it, "" for none
	Status      Status
	Blocks      []string // ids of tasks that wait for this one
	BlockedBy   []string // ids of tasks that this one waits for; all must be completed
	Metadata    map[string]any

	// Extra holds the top-level fields that ocaptain does not know, as they were read.
	Extra map[string]json.RawMessage
}

// Run is the shell command that does the task, for the script agent (metadata.run).
func (t Task) Run() string { return t.metadataText("run") }

// Verify is the shell command that must succeed before the task is merged (metadata.verify).
func (t Task) Verify() string { return t.metadataText("verify") }

// Review is the shell command that reviews the work on the task, for the script agent (metadata.review): success approves the
// work.
func (t Task) Review() string { return t.metadataText("review") }

// Group names the tasks that one ship claims together (metadata.group).
func (t Task) Group() string { return t.metadataText("group") }

// The metadata keys for the ship, agent and model that the captain chose for a task. A plan may use a key
// agent for something else.
const (
	onlyShip  = "only_ship"
	onlyAgent = "only_agent"
	onlyModel = "only_model"
)

// OnlyShip names the only ship that may do the task, "" for any (metadata.only_ship).
func (t Task) OnlyShip() string { return t.metadataText(onlyShip) }

// OnlyAgent names the only agent whose ships may do the task, "" for any (metadata.only_agent).
func (t Task) OnlyAgent() string { return t.metadataText(onlyAgent) }

// OnlyModel names the only model whose ships may do the task, "" for any (metadata.only_model).
func (t Task) OnlyModel() string { return t.metadataText(onlyModel) }

// Priorities is how many priorities there are.
const Priorities = 5

// Priority orders ready tasks: 0 is the most urgent, 4 the least, 2 when unset (metadata.priority).
func (t Task) Priority() int {
	if p, ok := t.Metadata["priority"].(float64); ok && p >= 0 && p <= Priorities-1 {
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

func (t Task) metadataText(key string) string {
	s, _ := t.Metadata[key].(string)
	return s
}

// Clone returns a copy whose lists and maps a caller may change.
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

// MarshalJSON writes a file that Claude Code accepts: both lists always present, optional fields
// left out rather than null, unknown fields last.
func (t Task) MarshalJSON() ([]byte, error) {
	f := file{t.ID, t.Subject, t.Description, t.ActiveForm, t.Owner, t.Status, t.Blocks, t.BlockedBy, t.Metadata}
	if f.Blocks == nil {
		f.Blocks = []string{}
	}
	if f.BlockedBy == nil {
		f.BlockedBy = []string{}
	}
	out, err := Marshal(f)
	if err != nil || len(t.Extra) == 0 {
		return out, err
	}
	for _, k := range slices.Sorted(maps.Keys(t.Extra)) {
		if slices.Contains(known, k) {
			continue
		}
		key, err := Marshal(k)
		if err != nil {
			return nil, err
		}
		out = slices.Concat(out[:len(out)-1], []byte(","), key, []byte(":"), t.Extra[k], []byte("}"))
	}
	return out, nil
}

// Marshal encodes without HTML escapes, as JavaScript does.
func Marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimRight(b.Bytes(), "\n"), nil
}

// CompareIDs orders ids as people read them: numbers by value and before words, and numbers within words by value.
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
	}
	return compareWords(a, b)
}

// compareWords compares words letter by letter, and the numbers in them by value. Words that differ only in leading
// zeros are not equal.
func compareWords(a, b string) int {
	x, y := a, b
	for x != "" && y != "" {
		m, n := digits(x), digits(y)
		if m > 0 && n > 0 {
			p, q := strings.TrimLeft(x[:m], "0"), strings.TrimLeft(y[:n], "0")
			if is := cmp.Or(cmp.Compare(len(p), len(q)), cmp.Compare(p, q)); is != 0 {
				return is
			}
			x, y = x[m:], y[n:]
			continue
		}
		if x[0] != y[0] {
			return cmp.Compare(x[0], y[0])
		}
		x, y = x[1:], y[1:]
	}
	return cmp.Or(cmp.Compare(len(x), len(y)), cmp.Compare(a, b))
}

// digits returns how many digits s begins with.
func digits(s string) int { return len(s) - len(strings.TrimLeft(s, "0123456789")) }
