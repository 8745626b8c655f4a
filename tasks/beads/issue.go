// Package beads reads and writes the issues of Beads: the file .beads/issues.jsonl, with an issue as JSON on each line. It reads what
// bd wrote before version 0.50 and what it exports since, and writes what both read.
package beads

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// Name is where the issues of a repository are.
const Name = ".beads/issues.jsonl"

// The states of an issue that ocaptain writes, and those that keep others waiting. Projects may have more of their own.
const (
	Open       = "open"
	InProgress = "in_progress"
	Closed     = "closed"
	tombstone  = "tombstone" // of a deleted one
)

// waitingFor are the states of an issue that is still waited for.
var waitingFor = []string{Open, InProgress, "blocked", "deferred", "hooked"}

var statuses = append(slices.Clone(waitingFor), Closed, "pinned", tombstone)

// Types of dependencies that decide what is ready.
const (
	blocks            = "blocks"
	parentChild       = "parent-child"
	conditionalBlocks = "conditional-blocks"
	waitsFor          = "waits-for"
)

// Issue is what ocaptain reads of an issue.
type Issue struct {
	ID           string
	Title        string
	Description  string
	Design       string
	Acceptance   string
	Notes        string
	Status       string
	Priority     int
	Type         string
	Assignee     string
	Minutes      int // estimated
	Created      time.Time
	Updated      time.Time
	Closed       time.Time
	CloseReason  string
	DeferUntil   time.Time
	ExternalRef  string
	Metadata     map[string]json.RawMessage // nil when it is something else than an object
	Labels       []string
	Dependencies []Dependency
	Pinned       bool
	Ephemeral    bool
}

// Dependency says what an issue depends on.
type Dependency struct {
	Issue     string    `json:"issue_id"`
	DependsOn string    `json:"depends_on_id"`
	Type      string    `json:"type"`
	Created   time.Time `json:"created_at,omitzero"`
	By        string    `json:"created_by,omitempty"`
	Metadata  string    `json:"metadata,omitempty"` // which holds JSON
	Thread    string    `json:"thread_id,omitempty"`
}

// dependsOn lists what an issue depends on in one way.
func (i *Issue) dependsOn(kind string) []string {
	var ids []string
	for _, d := range i.Dependencies {
		if d.Type == kind && d.DependsOn != i.ID {
			ids = append(ids, d.DependsOn)
		}
	}
	return ids
}

// Parent is the issue that it is a part of, "" for none.
func (i *Issue) Parent() string {
	if ids := i.dependsOn(parentChild); len(ids) > 0 {
		return ids[0]
	}
	return ""
}

// isWork reports whether it is something that somebody could do, and not a record that bd keeps beside work.
func (i *Issue) isWork() bool {
	kept := []string{"merge-request", "gate", "molecule", "message", "agent", "role", "rig"}
	return !i.Pinned && !i.Ephemeral && !slices.Contains(kept, i.Type) && !strings.Contains(i.ID, "-mol-") && !strings.Contains(i.ID, "-wisp-")
}

// failed reports whether it was closed as a failure, as bd tells that from the reason.
func (i *Issue) failed() bool {
	reason := strings.ToLower(i.CloseReason)
	return slices.ContainsFunc(failures, func(word string) bool { return strings.Contains(reason, word) })
}

// failures are words of a reason that make it one.
var failures = []string{"failed", "rejected", "wontfix", "won't fix", "cancelled", "canceled", "abandoned", "blocked", "error", "timeout", "aborted"}

// mark is what ocaptain keeps about an issue, in its metadata.
type mark struct {
	Session string `json:"session"`
	Task    string `json:"task"`
	Group   string `json:"group,omitempty"`
	Status  string `json:"status"`          // that was written last
	Words   string `json:"words"`           // hash of the title and texts that were written last
	Shown   string `json:"shown,omitempty"` // hash of those of the issue, where people had written them before
}

// over is the mark, with what else there is beside it.
func (m mark) over(was jsontext.Value) jsontext.Value {
	own, _ := parseRecord(was) // anything may be there
	ours, _ := parseRecord(encode(m))
	for _, key := range []string{"group", "shown"} {
		own.set(key, nil)
	}
	for _, member := range ours {
		own.set(member.key, member.value)
	}
	return own.bytes()
}

// words is the hash of its title and texts.
func (i *Issue) words() string { return hash([3]string{i.Title, i.Description, i.Acceptance}) }

// labels are its labels, without that of its group.
func (i *Issue) labels() []string {
	return slices.DeleteFunc(slices.Clone(i.Labels), func(l string) bool { return strings.HasPrefix(l, "group:") })
}

// mark is the mark of ocaptain, nil for none.
func (i *Issue) mark() *mark {
	var m struct {
		Captain *mark `json:"captain"`
	}
	if raw, ok := i.Metadata["captain"]; !ok || json.Unmarshal(raw, &m.Captain) != nil {
		return nil
	}
	return m.Captain
}

// Ref is the external_ref of a task. bd takes two issues with the same one for one issue, and tasks of two sessions may have the same id.
func Ref(voyage, task string) string { return fmt.Sprintf("captain:%s/%s", voyage, task) }
