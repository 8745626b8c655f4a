// Package jsonread reads JSON values of the usual types without reflection, and long lists with all processors, as a board
// has thousands of tasks.
package jsonread

import (
	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Lenient reads as encoding/json does: of duplicate keys the last counts, and invalid UTF-8 is replaced.
var Lenient = jsonv2.JoinOptions(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))

// Each reads an object or a list. It calls read for each field or value, which read has to read.
func Each(dec *jsontext.Decoder, read func() error) error {
	_, err := dec.ReadToken()
	for err == nil && dec.PeekKind() != '}' && dec.PeekKind() != ']' {
		err = read()
	}
	if err == nil {
		_, err = dec.ReadToken()
	}
	return err
}

// Value reads a value into the variable that into points to. A string, a list of strings and a map of any values are
// read without reflection, unless the value has another type.
func Value(dec *jsontext.Decoder, into any) error {
	switch kind := dec.PeekKind(); to := into.(type) {
	case *string:
		if kind == '"' {
			return text(dec, to)
		}
	case *[]string:
		if kind == '[' {
			return texts(dec, to)
		}
	case *map[string]any:
		if kind == '{' {
			return fields(dec, to)
		}
	}
	return jsonv2.UnmarshalDecode(dec, into, Lenient)
}

func text(dec *jsontext.Decoder, into *string) error {
	token, err := dec.ReadToken()
	if err == nil {
		*into = token.String()
	}
	return err
}

func texts(dec *jsontext.Decoder, into *[]string) error {
	*into = []string{}
	return Each(dec, func() error {
		*into = append(*into, "")
		return Value(dec, &(*into)[len(*into)-1])
	})
}

func fields(dec *jsontext.Decoder, into *map[string]any) error {
	*into = map[string]any{}
	return Each(dec, func() error {
		var key string
		if err := text(dec, &key); err != nil {
			return err
		}
		if dec.PeekKind() == '"' {
			var value string
			err := text(dec, &value)
			(*into)[key] = value
			return err
		}
		var value any
		err := jsonv2.UnmarshalDecode(dec, &value, Lenient)
		(*into)[key] = value
		return err
	})
}
