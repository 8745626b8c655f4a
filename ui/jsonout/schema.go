package jsonout

import (
	"encoding/json"
	"fmt"
	"reflect"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"ocaptain/tasks"
)

// Schema returns the JSON Schema of Marshal's output for values of type t. A closed schema forbids fields that it does not name; an open one
// also fits the JSON of a newer ocaptain.
func Schema(t reflect.Type, closed bool) (*jsonschema.Schema, error) {
	task, err := jsonschema.For[tasks.JSON](&jsonschema.ForOptions{TypeSchemas: schemas})
	if err != nil {
		return nil, err
	}
	task.AdditionalProperties = nil // a task file may hold more, and so may its task
	opts := &jsonschema.ForOptions{TypeSchemas: map[reflect.Type]*jsonschema.Schema{reflect.TypeFor[tasks.State](): task}}
	for t, s := range schemas {
		opts.TypeSchemas[t] = s
	}
	s, err := jsonschema.ForType(t, opts)
	if err != nil {
		return nil, fmt.Errorf("describe %s: %w", t, err)
	}
	rename(s, closed)
	return s, nil
}

// schemas holds the schemas of types whose JSON does not follow from their fields.
var schemas = map[reflect.Type]*jsonschema.Schema{
	reflect.TypeFor[time.Time]():       {Type: "string", Format: "date-time"},
	reflect.TypeFor[time.Duration]():   {Type: "number", Description: "seconds"},
	reflect.TypeFor[json.RawMessage](): {},
}

// rename gives the properties the names that Marshal writes.
func rename(s *jsonschema.Schema, closed bool) {
	if s == nil {
		return
	}
	named := make(map[string]*jsonschema.Schema, len(s.Properties))
	for name, p := range s.Properties {
		named[camel(name)] = p
		rename(p, closed)
	}
	if s.Properties != nil {
		s.Properties = named
		if !closed {
			s.AdditionalProperties = nil
		}
	}
	for i := range s.Required {
		s.Required[i] = camel(s.Required[i])
	}
	for i := range s.PropertyOrder {
		s.PropertyOrder[i] = camel(s.PropertyOrder[i])
	}
	if s.Items != nil {
		s.Type, s.Types = "array", nil // Marshal never writes null for a list
	}
	rename(s.Items, closed)
	rename(s.AdditionalProperties, closed)
}
