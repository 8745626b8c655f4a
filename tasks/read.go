package tasks

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"ocaptain/tasks/jsonread"
)

// UnmarshalJSON reads a task leniently: title, which older plans use, stands for a missing
// subject, a missing status is pending, null lists are empty. It refuses wrong types. Like
// JavaScript, it matches keys by exact case.
func (t *Task) UnmarshalJSON(data []byte) error {
	return jsonread.Unmarshal(data, t, func(t *Task, r *jsonread.Reader) { t.readJSON(r, nil) })
}

// UnmarshalJSON reads what MarshalJSON writes, and a plain task file.
func (s *State) UnmarshalJSON(data []byte) error {
	return jsonread.Unmarshal(data, s, (*State).ReadJSON)
}

// ReadJSON is UnmarshalJSON for a zero State.
func (s *State) ReadJSON(r *jsonread.Reader) { s.readJSON(r, s) }

// readJSON reads an object into a zero Task. Its field "store" goes to own or, if own is nil, to Extra as all unknown fields
// do.
func (t *Task) readJSON(r *jsonread.Reader, own *State) {
	switch {
	case r.IsNull():
		r.AddError(errors.New("task is null"))
	case !r.IsObject():
		r.Any(&struct{}{}) // which says why that is not an object
	}
	r.Object(func(key string) {
		switch into := t.variable(key); {
		case into != nil:
			r.Value(into)
		case own != nil && key == storeField:
			own.readStored(r)
		default:
			if t.Extra == nil {
				t.Extra = map[string]json.RawMessage{}
			}
			t.Extra[strings.Clone(key)] = bytes.Clone(r.Raw())
		}
	})
	if title, ok := t.Extra["title"]; ok && t.Subject == "" {
		if err := json.Unmarshal(title, &t.Subject); err != nil {
			r.AddError(fmt.Errorf("title: %w", err))
		}
		if delete(t.Extra, "title"); len(t.Extra) == 0 {
			t.Extra = nil
		}
	}
	if t.Status == "" {
		t.Status = Pending
	}
}

// variable returns the variable for the value of a key, nil for an unknown key.
func (t *Task) variable(key string) any {
	switch key {
	case "id":
		return &t.ID
	case "subject":
		return &t.Subject
	case "description":
		return &t.Description
	case "activeForm":
		return &t.ActiveForm
	case "owner":
		return &t.Owner
	case "status":
		return (*string)(&t.Status)
	case "blocks":
		return &t.Blocks
	case "blockedBy":
		return &t.BlockedBy
	case "metadata":
		return &t.Metadata
	}
	return nil
}

// readStored reads the state's own fields.
func (s *State) readStored(r *jsonread.Reader) {
	if !r.IsObject() {
		r.Any(&stored{}) // null is as good as nothing
		return
	}
	r.Object(func(key string) {
		if into := s.own(key); into != nil {
			r.Value(into)
		} else {
			r.SkipRecursive()
		}
	})
}

// own returns the variable for the value of a key of the state's own fields, nil for an unknown key.
func (s *State) own(key string) any {
	switch key {
	case "hub":
		return &s.Hub
	case "epoch":
		return &s.Epoch
	case "reservedFor":
		return &s.ReservedFor
	case "notBefore":
		return &s.NotBefore
	case "requeuedAt":
		return &s.RequeuedAt
	case "onHold":
		return &s.OnHold
	case "heldBy":
		return &s.HeldBy
	case "commit":
		return &s.Commit
	case "empty":
		return &s.Empty
	case "reason":
		return &s.Reason
	case "from":
		return &s.From
	case "attempts":
		return &s.Attempts
	case "claimedAt":
		return &s.ClaimedAt
	case "completedAt":
		return &s.CompletedAt
	case "handIn":
		return &s.HandIn
	case "on":
		return &s.On
	case "draft":
		return &s.Draft
	case "rejections":
		return &s.Rejections
	case "resumes":
		return &s.Resumes
	case "proposed":
		return &s.Proposed
	case "cancelled":
		return &s.Cancelled
	}
	return nil
}
