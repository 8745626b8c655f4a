package tasks

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// Review is a reviewer's decision about work.
type Review struct {
	Approved    bool        `json:"approved"`
	Reasoning   string      `json:"reasoning"`
	Suggestions []string    `json:"suggestions,omitempty"`
	Discoveries []Discovery `json:"discoveries,omitempty"`
	By          string      `json:"by,omitempty"`
	At          time.Time   `json:"at,omitzero"`
}

// Discovery is a fact about the repository that later work should take into account.
type Discovery struct {
	Type    string   `json:"type"` // one of DiscoveryTypes
	Content string   `json:"content"`
	Files   []string `json:"files,omitempty"` // the files that the fact is about
}

// DiscoveryTypes are the types of discoveries.
var DiscoveryTypes = []string{"pattern", "decision", "gotcha", "convention"}

// The decisions of a reviewer.
const (
	decidesYes = "approve"
	decidesNo  = "reject"
)

// Limits of a review that a reviewer hands in.
const (
	MaxReview      = 64 << 10 // bytes in all
	maxSuggestions = 50
	maxDiscoveries = 20
	maxFiles       = 50
)

// ReadReview reads a review that a reviewer hands in:
//
//	{"decision": "approve", "reasoning": "…", "suggestions": [],
//	 "discoveries": [{"type": "pattern", "content": "…", "files": ["src/auth.ts"]}]}
//
// This is the form of the seed's validator. The decision, approve or reject, and the reasoning are required. The error lists
// everything that is wrong, a line each.
func ReadReview(raw []byte) (Review, error) {
	var r Review
	var a answer
	if len(raw) > MaxReview {
		return r, fmt.Errorf("it has more than %d bytes: say less", MaxReview)
	}
	var file map[string]json.RawMessage
	if err := json.Unmarshal(raw, &file); err != nil || file == nil {
		return r, fmt.Errorf(`it is not a JSON object like {"decision": "approve", "reasoning": "…"}`)
	}
	var decision string
	for _, key := range slices.Sorted(maps.Keys(file)) {
		switch value := file[key]; key {
		case "decision":
			a.readText(key, "type", value, &decision)
		case "reasoning":
			a.readText(key, key, value, &r.Reasoning)
		case "suggestions":
			a.readList(key, value, &r.Suggestions, maxSuggestions)
		case "discoveries":
			a.readDiscoveries(value, &r)
		default:
			a.bad("unknown field %q: the fields are decision, reasoning, suggestions, discoveries", Shorten(key))
		}
	}
	r.Approved = decision == decidesYes
	if !r.Approved && decision != decidesNo {
		a.bad(`"decision" is %q: give %s or %s`, Shorten(decision), decidesYes, decidesNo)
	}
	if strings.TrimSpace(r.Reasoning) == "" {
		a.bad(`"reasoning" is missing: say why`)
	}
	return r, a.err()
}

func (a *answer) readDiscoveries(value json.RawMessage, r *Review) {
	var list []json.RawMessage
	if err := json.Unmarshal(value, &list); err != nil {
		a.bad(`"discoveries" is %s, and must be a list`, Shorten(string(value)))
		return
	}
	if len(list) > maxDiscoveries {
		a.bad("there are %d discoveries, and %d are allowed", len(list), maxDiscoveries)
		return
	}
	for i, item := range list {
		r.Discoveries = append(r.Discoveries, a.readDiscovery(fmt.Sprintf("discoveries[%d]", i), item))
	}
}

func (a *answer) readDiscovery(where string, raw json.RawMessage) Discovery {
	var d Discovery
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(raw, &fields); err != nil || fields == nil {
		a.bad("%s is not an object", where)
		return d
	}
	for _, key := range slices.Sorted(maps.Keys(fields)) {
		switch value, at := fields[key], where+"."+key; key {
		case "type":
			a.readText(at, key, value, &d.Type)
		case "content":
			a.readText(at, key, value, &d.Content)
		case "files":
			a.readList(at, value, &d.Files, maxFiles)
		default:
			a.bad("%s: unknown field %q: the fields are type, content, files", where, Shorten(key))
		}
	}
	if !slices.Contains(DiscoveryTypes, d.Type) {
		a.bad("%s.type is %q: give one of %s", where, Shorten(d.Type), strings.Join(DiscoveryTypes, ", "))
	}
	if strings.TrimSpace(d.Content) == "" {
		a.bad("%s has no content", where)
	}
	return d
}

// ReviewJSON returns a review in the form that ReadReview reads.
func ReviewJSON(approve bool, reasoning string) []byte {
	decision := decidesNo
	if approve {
		decision = decidesYes
	}
	raw, _ := json.Marshal(map[string]string{"decision": decision, "reasoning": reasoning}) // texts always marshal
	return raw
}
