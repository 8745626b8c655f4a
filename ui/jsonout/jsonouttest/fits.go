// Package jsonouttest checks JSON against its schema.
package jsonouttest

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// Fits counts the JSON values in a text, one after the other, and returns an error at the first value that is not JSON or does not fit the
// schema. It counts a value that other text follows.
func Fits(schema *jsonschema.Schema, text string) (values int, err error) {
	whole, err := schema.Resolve(nil)
	if err != nil {
		return 0, err
	}
	for d := json.NewDecoder(strings.NewReader(text)); ; values++ {
		var v any
		switch err := d.Decode(&v); {
		case errors.Is(err, io.EOF):
			return values, nil
		case err != nil:
			return values, fmt.Errorf("%w: %w", ErrNoJSON, err)
		}
		if err := whole.Validate(v); err != nil {
			return values, err
		}
	}
}

// ErrNoJSON says that a text ends with something other than JSON.
var ErrNoJSON = errors.New("it is no JSON")
