package tasks

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	jsonv2 "github.com/go-json-experiment/json"

	"ocaptain/tasks/jsonread"
)

// MaxEdit bounds an agent's edit of the task list, in bytes of JSON.
const MaxEdit = 16 << 10

// maxEdges bounds each list of tasks in an edit.
const maxEdges = 100

// Edit is a change to the task list: a new task, or new text for an existing task. An empty field changes
// nothing.
type Edit struct {
	Task        string    `json:"task,omitempty"` // "" for a new task
	Subject     string    `json:"subject,omitempty"`
	Description string    `json:"description,omitempty"`
	Blocks      []string  `json:"blocks,omitempty"`      // tasks that also have to wait for this task
	BlockedBy   []string  `json:"blockedBy,omitempty"`   // tasks that this task also has to wait for
	Unblocks    []string  `json:"unblocks,omitempty"`    // tasks that stop waiting for this task
	UnblockedBy []string  `json:"unblockedBy,omitempty"` // tasks that this task stops waiting for
	Priority    *int      `json:"priority,omitempty"`
	Labels      *[]string `json:"labels,omitempty"` // replace all labels of the task
	Verify      *string   `json:"verify,omitempty"` // the task's check, "" for none
	Run         *string   `json:"run,omitempty"`    // the command that the script agent runs, "" for none
	Ship        *string   `json:"ship,omitempty"`   // the only ship that may do the task, "" for any
	Agent       *string   `json:"agent,omitempty"`  // the only agent that may do the task, "" for any
	Model       *string   `json:"model,omitempty"`  // the only model that may do the task, "" for any
	Worker      *string   `json:"worker,omitempty"` // the worker of a pool that does the dispatch, "" for any

	By     string `json:"-"`                // who requests the edit
	Reason string `json:"reason,omitempty"` // why, in words
}

// ReadEdit reads what an agent gave to Claude Code's TaskUpdate for a task, or to TaskCreate when task is "". It also returns
// whether the agent wants to delete the task. It ignores all other fields, metadata above all: an agent must not choose
// commands that run.
func ReadEdit(task string, input []byte) (edit Edit, deleted bool, err error) {
	var in struct {
		Status       string   `json:"status"`
		Subject      string   `json:"subject"`
		Description  string   `json:"description"`
		AddBlocks    []string `json:"addBlocks"`
		AddBlockedBy []string `json:"addBlockedBy"`
	}
	if len(input) == 0 || len(input) > MaxEdit {
		return Edit{}, false, fmt.Errorf("it is longer than %d bytes", MaxEdit)
	}
	if err := jsonv2.Unmarshal(input, &in, jsonread.Lenient); err != nil {
		return Edit{}, false, fmt.Errorf("it cannot be read: %w", err)
	}
	e := Edit{Task: task, Subject: in.Subject, Description: in.Description, Blocks: UniqueIDs(in.AddBlocks), BlockedBy: UniqueIDs(in.AddBlockedBy)}
	return e, task != "" && in.Status == "deleted", nil
}

// Check returns what is wrong with the edit itself, whatever tasks exist, or nil.
func (e Edit) Check() error {
	b := &answer{}
	switch {
	case e.Task == "" && strings.TrimSpace(e.Subject) == "":
		b.bad("a task needs a subject")
	case e.IsNothing():
		b.bad("it changes neither subject nor description, priority or labels, nor what waits for what")
	case len(e.Subject) > maxTitleLen:
		b.bad("its subject has more than %d bytes", maxTitleLen)
	}
	b.checkPlace(e.Priority, e.Labels)
	named := e.edges()
	if e.Task != "" {
		named = append(named, e.Task)
	}
	for _, id := range named {
		if !ValidID(id) {
			b.bad("there can be no task %q", Shorten(id))
		}
	}
	if len(named) > maxEdges {
		b.bad("it names more than %d tasks that wait, or are waited for", maxEdges)
	}
	return b.err()
}

// IsNothing reports whether the edit changes nothing of a task.
func (e Edit) IsNothing() bool {
	return e.Subject == "" && e.Description == "" && len(e.edges()) == 0 && len(e.Metadata()) == 0
}

// edges returns all tasks that the edit names in its four lists.
func (e Edit) edges() []string {
	return slices.Concat(e.Blocks, e.BlockedBy, e.Unblocks, e.UnblockedBy)
}

// Metadata returns the metadata that the edit sets; a nil value removes the key.
func (e Edit) Metadata() map[string]any {
	m := map[string]any{}
	if e.Priority != nil {
		m["priority"] = float64(*e.Priority)
	}
	if e.Labels != nil {
		m["labels"] = nil
		if len(*e.Labels) > 0 {
			m["labels"] = asList(*e.Labels)
		}
	}
	for key, text := range map[string]*string{"verify": e.Verify, "run": e.Run, "worker": e.Worker, onlyShip: e.Ship, onlyAgent: e.Agent, onlyModel: e.Model} {
		switch {
		case text == nil:
		case *text == "":
			m[key] = nil
		default:
			m[key] = *text
		}
	}
	return m
}

// NewTask returns the task that the edit adds when it names none. A part inherits its parent's priority and
// labels unless the edit sets them.
func (e Edit) NewTask(metadata map[string]any, parent *State) Task {
	t := Task{Subject: e.Subject, Description: e.Description, Status: Pending, Blocks: e.Blocks, BlockedBy: e.BlockedBy, Metadata: metadata}
	if parent != nil {
		maps.Copy(t.Metadata, (&part{kind: TypeTask}).task(parent).Metadata)
	}
	maps.Copy(t.Metadata, e.Metadata())
	maps.DeleteFunc(t.Metadata, func(_ string, v any) bool { return v == nil })
	return t
}
