// Package beads reads and writes the issues of Beads: the file .beads/issues.jsonl, with an issue as JSON on each line. It reads the
// format of bd before version 0.50 and the export of later versions, and writes lines that both read.
package beads

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// Name is the path of the file of issues in a repository.
const Name = ".beads/issues.jsonl"

// The states of an issue that ocaptain writes, and the state of a deleted issue. Projects may define more.
const (
	Open       = "open"
	InProgress = "in_progress"
	Closed     = "closed"
	tombstone  = "tombstone" // status of a deleted issue
)

// waitingFor are the states of an issue that keep its dependents waiting.
var waitingFor = []string{Open, InProgress, "blocked", "deferred", "hooked"}

var statuses = append(slices.Clone(waitingFor), Closed, "pinned", tombstone)

// Types of dependencies that affect what is ready.
const (
	blocks            = "blocks"
	parentChild       = "parent-child"
	conditionalBlocks = "conditional-blocks"
	waitsFor          = "waits-for"
)

// Issue holds the fields of an issue that ocaptain reads.
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
	Metadata     map[string]json.RawMessage // nil when it is not an object
	Labels       []string
	Dependencies []Dependency
	Pinned       bool
	Ephemeral    bool
}

// Dependency is a dependency of an issue.
type Dependency struct {
	Issue     string    `json:"issue_id"`
	DependsOn string    `json:"depends_on_id"`
	Type      string    `json:"type"`
	Created   time.Time `json:"created_at,omitzero"`
	By        string    `json:"created_by,omitempty"`
	Metadata  string    `json:"metadata,omitempty"` // JSON in a string
	Thread    string    `json:"thread_id,omitempty"`
}

// dependsOn returns the issues that i depends on by dependencies of this kind.
func (i *Issue) dependsOn(kind string) []string {
	var ids []string
	for _, d := range i.Dependencies {
		if d.Type == kind && d.DependsOn != i.ID {
			ids = append(ids, d.DependsOn)
		}
	}
	return ids
}

// Parent returns the issue that i is a part of, "" for none.
func (i *Issue) Parent() string {
	if ids := i.dependsOn(parentChild); len(ids) > 0 {
		return ids[0]
	}
	return ""
}

// isWork reports whether the issue is work to do. bd also keeps other records as issues.
func (i *Issue) isWork() bool {
	kept := []string{"merge-request", "gate", "molecule", "message", "agent", "role", "rig"}
	return !i.Pinned && !i.Ephemeral && !slices.Contains(kept, i.Type) && !strings.Contains(i.ID, "-mol-") && !strings.Contains(i.ID, "-wisp-")
}

// failed reports whether the issue was closed as a failure, which bd reads from the close reason.
func (i *Issue) failed() bool {
	reason := strings.ToLower(i.CloseReason)
	return slices.ContainsFunc(failures, func(word string) bool { return strings.Contains(reason, word) })
}

// failures are words that mark an issue as failed when they are in its close reason.
var failures = []string{"failed", "rejected", "wontfix", "won't fix", "cancelled", "canceled", "abandoned", "blocked", "error", "timeout", "aborted"}

// mark is the entry that ocaptain keeps for itself in the metadata of an issue.
type mark struct {
	Session string `json:"session"`
	Task    string `json:"task"`
	Group   string `json:"group,omitempty"`
	Status  string `json:"status"`          // the status that ocaptain wrote last
	Words   string `json:"words"`           // the hash of the title and texts that ocaptain wrote last
	Shown   string `json:"shown,omitempty"` // the hash of the title and texts that people had written before, "" for none
}

// over returns the mark merged into was, the entry that the issue already has.
func (m mark) over(was jsontext.Value) jsontext.Value {
	own, _ := parseRecord(was) // an error is ignored: people may have written anything
	ours, _ := parseRecord(encode(m))
	for _, key := range []string{"group", "shown"} {
		own.set(key, nil)
	}
	for _, member := range ours {
		own.set(member.key, member.value)
	}
	return own.bytes()
}

// words returns the hash of the title and texts.
func (i *Issue) words() string { return hash([3]string{i.Title, i.Description, i.Acceptance}) }

// labels returns the labels without the label that names the group.
func (i *Issue) labels() []string {
	return slices.DeleteFunc(slices.Clone(i.Labels), func(l string) bool { return strings.HasPrefix(l, "group:") })
}

// mark returns ocaptain's mark, nil for none.
func (i *Issue) mark() *mark {
	var m struct {
		Captain *mark `json:"captain"`
	}
	if raw, ok := i.Metadata["captain"]; !ok || json.Unmarshal(raw, &m.Captain) != nil {
		return nil
	}
	return m.Captain
}

// Ref returns the external_ref of a task. It contains the voyage, since tasks of two sessions may have the
// same id, and bd takes issues with the same external_ref for the same issue.
func Ref(voyage, task string) string { return fmt.Sprintf("captain:%s/%s", voyage, task) }
