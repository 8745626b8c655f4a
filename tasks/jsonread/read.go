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

// Text reads a string.
func Text(dec *jsontext.Decoder, into *string) error {
	if dec.PeekKind() != '"' {
		return jsonv2.UnmarshalDecode(dec, into, Lenient)
	}
	token, err := dec.ReadToken()
	if err == nil {
		*into = token.String()
	}
	return err
}

// Texts reads a list of strings.
func Texts(dec *jsontext.Decoder, into *[]string) error {
	if dec.PeekKind() != '[' {
		return jsonv2.UnmarshalDecode(dec, into, Lenient)
	}
	*into = []string{}
	return Each(dec, func() error {
		*into = append(*into, "")
		return Text(dec, &(*into)[len(*into)-1])
	})
}

// Map reads an object of any fields, with the types that encoding/json gives them.
func Map(dec *jsontext.Decoder, into *map[string]any) error {
	if dec.PeekKind() != '{' {
		return jsonv2.UnmarshalDecode(dec, into, Lenient)
	}
	*into = map[string]any{}
	return Each(dec, func() error {
		name, err := dec.ReadToken()
		if err != nil {
			return err
		}
		key := name.String()
		if dec.PeekKind() == '"' {
			token, err := dec.ReadToken()
			(*into)[key] = token.String()
			return err
		}
		var value any
		err = jsonv2.UnmarshalDecode(dec, &value, Lenient)
		(*into)[key] = value
		return err
	})
}
