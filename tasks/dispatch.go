package tasks

import (
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Dispatch is a command that the captain gives to one ship as a task, and the commit from which the ship starts.
// Ships cannot claim it.
type Dispatch struct {
	Command  string // what the agent gets, exactly
	Worker   string // the ship that does it, "" for the next free ship
	Provider string // the provider that the ship must come from, "" for any
	Base     string // the commit to start from
	From     string // the captain's name for Base, in words
	Key      string // identifies the dispatch: a repeated request has the same Key
	At       time.Time
}

// dispatchKey is the metadata key of a dispatch's Key.
const dispatchKey = "dispatch"

// Dispatch returns the dispatch that the task holds. Its Key is "" when the task is no dispatch.
func (t Task) Dispatch() Dispatch {
	at, _ := time.Parse(time.RFC3339, t.metadataText("asked"))
	return Dispatch{
		Command: t.Description, Worker: t.Worker(), Provider: t.Provider(), Base: t.metadataText("base"), From: t.metadataText("from"),
		Key: t.metadataText(dispatchKey), At: at,
	}
}

// Worker names the ship that does the dispatch, "" for the next free ship (metadata.worker).
func (t Task) Worker() string { return t.metadataText("worker") }

// Provider names the provider that the ship for the dispatch must come from, "" for any (metadata.provider).
func (t Task) Provider() string { return t.metadataText("provider") }

// Task returns the dispatch as a task without an id.
func (d Dispatch) Task() Task {
	meta := map[string]any{"run": d.Command, "base": d.Base, "from": d.From, dispatchKey: d.Key, "asked": d.At.UTC().Format(time.RFC3339)}
	if d.Worker != "" {
		meta["worker"] = d.Worker
	}
	if d.Provider != "" {
		meta["provider"] = d.Provider
	}
	return Task{Subject: titleOf(d.Command), Description: d.Command, Status: Pending, Metadata: meta}
}

// MaxCommand is the longest command, in bytes.
const MaxCommand = 64 << 10

// Check returns what is wrong with a dispatch, or nil. A command is any text that the captain could type: not blank, and
// without control characters except tab and newline.
func (d Dispatch) Check() error { return checkAsked("command", d.Command) }

// checkAsked returns what is wrong with a text that the captain wrote, or nil. The error calls the text what.
func checkAsked(what, text string) error {
	switch {
	case strings.TrimSpace(text) == "":
		return fmt.Errorf("the %s is empty: say what is to be done", what)
	case len(text) > MaxCommand:
		return fmt.Errorf("the %s has %d bytes, and %d are allowed: put the rest into a file of the repository", what, len(text), MaxCommand)
	case !utf8.ValidString(text):
		return fmt.Errorf("the %s is not UTF-8 text", what)
	}
	for i, r := range text {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return fmt.Errorf("the %s has the control character %q at byte %d: take it out", what, r, i+1)
		}
	}
	return nil
}
