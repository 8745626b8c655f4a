package taskstory

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/clean"
	"ocaptain/tasks/journal"
	"ocaptain/ui/dash/pane"
	"ocaptain/ui/words"
)

// Event is something that happened to a task, its text clean.
type Event struct {
	At   time.Time
	What string // one word, such as claimed or refused
	Ship string
	Text string
}

// MaxEvents is how many events a history has, the newest.
const MaxEvents = 200

// entryData is the data of all kinds of records about a task.
type entryData struct {
	Task      string    `json:"task"`
	Owner     string    `json:"owner"`
	Ship      string    `json:"ship"`
	Epoch     uint64    `json:"epoch"`
	Commit    string    `json:"commit"`
	Reason    string    `json:"reason"`
	Why       string    `json:"why"`
	Text      string    `json:"text"`
	Paths     []string  `json:"paths"`
	Parked    string    `json:"parked"`
	NotBefore time.Time `json:"notBefore"`
	Hold      bool      `json:"hold"`
	Summary   string    `json:"summary"`
	Together  string    `json:"together"`
	Passed    bool      `json:"passed"`
	Back      bool      `json:"back"`
	For       string    `json:"for"`
	Rejected  bool      `json:"rejected"`
	By        string    `json:"by"`
	Review    struct {
		Reasoning string `json:"reasoning"`
	} `json:"review"`
	Subject     string         `json:"subject"`
	Description string         `json:"description"`
	Metadata    map[string]any `json:"metadata"`
	Blocks      []string       `json:"blocks"`
	BlockedBy   []string       `json:"blockedBy"`
	Unblocks    []string       `json:"unblocks"`
	UnblockedBy []string       `json:"unblockedBy"`
	Tasks       []struct {
		ID string `json:"id"`
	} `json:"tasks"`
}

// ReadHistory reads the events of a task from the voyage's journal, oldest first. left is the number of older events
// that it leaves out.
func ReadHistory(ctx context.Context, d fleet.Dir, id string) (events []Event, left int, err error) {
	quoted := []byte(`"` + id + `"`)
	var v fleet.Voyage
	_, err = journal.Read(d.Events(), 0, func(r journal.Record) error {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if r.Kind == fleet.KindVoyage {
			_ = json.Unmarshal(r.Data, &v) // a damaged record has no event
			return nil
		}
		if !bytes.Contains(r.Data, quoted) {
			return nil
		}
		e, ok := tell(r.Kind, id, r.Data)
		if !ok || r.Kind == "task.checked" && v.Unchecked { // no command checked the work
			return nil
		}
		e.At = r.At
		if len(events) >= 2*MaxEvents {
			left += MaxEvents
			events = append(events[:0], events[MaxEvents:]...)
		}
		events = append(events, e)
		return nil
	})
	if n := len(events) - MaxEvents; n > 0 {
		left += n
		events = events[n:]
	}
	if err != nil {
		err = fmt.Errorf("history of task %s: %w", clean.Line(id), err)
	}
	return events, left, err
}

// tell returns the event that a record reports about a task, if it does.
func tell(kind, id string, raw json.RawMessage) (Event, bool) {
	var data entryData
	if json.Unmarshal(raw, &data) != nil {
		return Event{}, false // a record of another kind
	}
	if kind == "task.added" {
		return Event{What: "added"}, slices.ContainsFunc(data.Tasks, func(t struct {
			ID string `json:"id"`
		},
		) bool {
			return t.ID == id
		})
	}
	if data.Task != id {
		return Event{}, false
	}
	e := Event{Ship: pane.Line(data.Ship)}
	if e.Ship == "" {
		e.Ship = pane.Line(data.Owner)
	}
	switch kind {
	case "task.reserved":
		if e.What = "reserved"; e.Ship == "" {
			e.What = "freed"
		}
	case "task.claimed":
		e.What, e.Text = "claimed", fmt.Sprintf("claim %d", data.Epoch)
	case "task.completed":
		e.What = "completed"
		if data.Commit != "" {
			e.Text = "commit " + words.ShortCommit(pane.Line(data.Commit))
		}
	case "task.handed-in":
		e.What, e.Text = "handed in", "commit "+words.ShortCommit(pane.Line(data.Commit))
		if data.Summary != "" {
			e.Text += ": " + pane.Line(data.Summary)
		}
	case "task.checked":
		e.What, e.Text = "checked", "with the branch as commit "+words.ShortCommit(pane.Line(data.Together))+": "+PassedText(data.Passed)
	case "task.approved":
		e.What, e.Text = "approved", pane.Line(data.Review.Reasoning)
	case "task.edited":
		e.What, e.Ship, e.Text = "edited", pane.Line(data.By), data.edited()
	case "task.cancelled":
		e.What, e.Text = "cancelled", pane.Line(data.Reason)
	case "task.requeued":
		e.What, e.Text = requeueWord(&data), pane.Line(data.Reason)
		if data.For != "" {
			e.Text = "to " + pane.Line(data.For) + ": " + e.Text
		}
		if !data.NotBefore.IsZero() {
			e.Text += ", not before " + data.NotBefore.Local().Format("15:04")
		}
	case "helm.checkout":
		e.What, e.Text = "checkout", "at commit "+words.ShortCommit(pane.Line(data.Commit))
		if data.Parked != "" {
			e.Text += ", older work put aside on " + pane.Line(data.Parked)
		}
	case "helm.refused":
		e.What, e.Text = "refused", pane.Line(data.Why)
	case "helm.conflict":
		e.What, e.Text = "conflict", pane.Line(strings.Join(data.Paths[:min(len(data.Paths), 20)], ", "))
	case "helm.note":
		e.What, e.Text = "note", pane.Line(data.Text)
	default:
		return Event{}, false
	}
	return e, true
}

// edited says what an edit changed, and why.
func (data *entryData) edited() string {
	changed := slices.Sorted(maps.Keys(data.Metadata))
	for name, is := range map[string]bool{
		"subject": data.Subject != "", "description": data.Description != "",
		"blockers": len(data.BlockedBy)+len(data.UnblockedBy) > 0, "what waits for it": len(data.Blocks)+len(data.Unblocks) > 0,
	} {
		if is {
			changed = append(changed, name)
		}
	}
	slices.Sort(changed)
	text := strings.Join(changed, ", ")
	if data.Reason != "" {
		text += ": " + data.Reason
	}
	return pane.Line(text)
}

// requeueWord says how a task was requeued.
func requeueWord(data *entryData) string {
	switch {
	case data.Hold:
		return "on hold"
	case data.Rejected:
		return "rejected"
	case data.Back:
		return "sent back"
	}
	return "requeued"
}

// PassedText returns the word for the result of a check.
func PassedText(passed bool) string {
	if passed {
		return "verify.sh has passed on it"
	}
	return "verify.sh fails on it, and without it as well"
}
