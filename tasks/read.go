package tasks

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"ocaptain/tasks/jsonread"
)

// UnmarshalJSON reads a task as UnmarshalJSONFrom does.
func (t *Task) UnmarshalJSON(data []byte) error {
	return t.UnmarshalJSONFrom(jsontext.NewDecoder(bytes.NewReader(data), jsonread.Lenient))
}

// UnmarshalJSONFrom reads a task leniently: title, which older plans use, stands for a missing
// subject, a missing status is pending, null lists are empty. It refuses wrong types. Like
// JavaScript, it matches keys by exact case.
func (t *Task) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	var read Task
	if err := read.decode(dec, nil); err != nil {
		return err
	}
	*t = read
	return nil
}

// decode reads an object. Its field "store" goes to own or, if own is nil, to Extra as all unknown fields do. The usual
// types are read without reflection, as a board has many tasks.
func (t *Task) decode(dec *jsontext.Decoder, own *stored) error {
	if kind := dec.PeekKind(); kind == 'n' {
		_ = dec.SkipValue()
		return errors.New("task is null")
	} else if kind != '{' {
		return jsonv2.UnmarshalDecode(dec, &struct{}{}) // no object: the decoder fails, and says why
	}
	err := jsonread.Each(dec, func() error {
		quoted, err := dec.ReadValue()
		if err != nil {
			return err
		}
		key := quoted[1 : len(quoted)-1]
		if bytes.IndexByte(key, '\\') >= 0 || !utf8.Valid(key) {
			key, _ = jsontext.AppendUnquote(nil, quoted) // an error says that it replaces invalid UTF-8
		}
		return t.readField(dec, key, own)
	})
	if err != nil {
		return err
	}
	if title, ok := t.Extra["title"]; ok && t.Subject == "" {
		if err := json.Unmarshal(title, &t.Subject); err != nil {
			return fmt.Errorf("title: %w", err)
		}
		if delete(t.Extra, "title"); len(t.Extra) == 0 {
			t.Extra = nil
		}
	}
	if t.Status == "" {
		t.Status = Pending
	}
	return nil
}

// readField reads the value of a key. The key is a part of the decoder's buffer, and invalid once its value is read.
func (t *Task) readField(dec *jsontext.Decoder, key []byte, own *stored) error {
	if into := t.variable(key, own); into != nil {
		return jsonread.Value(dec, into)
	}
	name := string(key)
	raw, err := dec.ReadValue()
	if err != nil {
		return err
	}
	if t.Extra == nil {
		t.Extra = map[string]json.RawMessage{}
	}
	t.Extra[name] = json.RawMessage(raw.Clone())
	return nil
}

// variable returns the variable for the value of a key, nil for an unknown key.
func (t *Task) variable(key []byte, own *stored) any {
	switch string(key) {
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
	case storeField:
		if own != nil {
			return own
		}
	}
	return nil
}
