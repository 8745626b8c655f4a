package tasks

import (
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Dispatch is a task that one ship is given, not claimed: the captain's command, and where work on it begins.
type Dispatch struct {
	Command  string // what the agent is told, exactly
	Worker   string // the ship that is to do it, "" for the next that is free
	Provider string // where the ship is to come from that does it, "" for anywhere
	Base     string // commit
	From     string // what the captain called that, in words
	Key      string // the same for the same dispatch that is asked for again
	At       time.Time
}

// dispatchKey is the metadata key of a dispatch's Key.
const dispatchKey = "dispatch"

// Dispatch is the dispatch that the task is; its Key is "" for another task.
func (t Task) Dispatch() Dispatch {
	at, _ := time.Parse(time.RFC3339, t.metadataText("asked"))
	return Dispatch{
		Command: t.Description, Worker: t.Worker(), Provider: t.Provider(), Base: t.metadataText("base"), From: t.metadataText("from"),
		Key: t.metadataText(dispatchKey), At: at,
	}
}

// Worker names the ship that is to do the dispatch, "" for the next that is free (metadata.worker).
func (t Task) Worker() string { return t.metadataText("worker") }

// Provider is where the ship is to come from that does the dispatch, "" for anywhere (metadata.provider).
func (t Task) Provider() string { return t.metadataText("provider") }

// Task is the dispatch as a task without an id.
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

// MaxCommand is how long a command may be, in bytes.
const MaxCommand = 64 << 10

// Check says what is wrong with a dispatch, or nil. A command is any text that a terminal could have been asked to type: more
// than blanks, and no control characters but tab and newline.
func (d Dispatch) Check() error { return checkAsked("command", d.Command) }

// checkAsked says what is wrong with what the captain asks for, or nil. What is that is called.
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
