package tasks

import (
	"reflect"
	"strings"
	"testing"
)

func TestReadReview(t *testing.T) {
	// The seed's validator writes reviews in this form.
	r, err := ReadReview([]byte(`{"decision": "approve", "reasoning": "Implementation matches spec...", "discoveries": [
		{"type": "pattern", "content": "Auth middleware uses...", "files": ["src/middleware/auth.ts"]}], "suggestions": []}`))
	want := Review{
		Approved: true, Reasoning: "Implementation matches spec...", Suggestions: []string{},
		Discoveries: []Discovery{{"pattern", "Auth middleware uses...", []string{"src/middleware/auth.ts"}}},
	}
	if err != nil || !reflect.DeepEqual(r, want) {
		t.Errorf("got %+v, %v", r, err)
	}
	if r, err := ReadReview(ReviewJSON(false, "a \"b\"\nc")); err != nil || r.Approved || r.Reasoning != "a \"b\"\nc" {
		t.Errorf("got %+v, %v", r, err)
	}
	for raw, wrong := range map[string]string{
		``:                          "not a JSON object",
		`null`:                      "not a JSON object",
		`Looks good to me`:          "not a JSON object",
		`{}`:                        `"decision" is "": give approve or reject` + "\n" + `"reasoning" is missing: say why`,
		`{"decision": "Approve"}`:   `"decision" is "Approve"`,
		`{"decision": ["approve"]}`: "decision is [\"approve\"], and must be a text",
		`{"decision": "approve", "reasoning": "x", "merge": true}`:                                  `unknown field "merge"`,
		`{"decision": "approve", "reasoning": "\u001b[2J"}`:                                         "character",
		`{"decision": "approve", "reasoning": "x", "discoveries": {}}`:                              "must be a list",
		`{"decision": "approve", "reasoning": "x", "discoveries": [1]}`:                             "discoveries[0] is not an object",
		`{"decision": "approve", "reasoning": "x", "discoveries": [{"type": "x", "path": "../x"}]}`: `discoveries[0]: unknown field "path": the fields are type, content, files` + "\n" + `discoveries[0].type is "x": give one of pattern, decision, gotcha, convention` + "\n" + `discoveries[0] has no content`,
		`{"decision": "approve", "reasoning": "` + strings.Repeat("x", MaxReview) + `"}`:            "more than 65536 bytes",
	} {
		if r, err := ReadReview([]byte(raw)); err == nil || !strings.Contains(err.Error(), wrong) {
			t.Errorf("%.80s: got %+v, %v", raw, r, err)
		}
	}
}

func FuzzReadReview(f *testing.F) {
	f.Add([]byte(`{"decision": "approve", "reasoning": "x", "suggestions": ["y"], "discoveries": [{"type": "pattern", "content": "z", "files": ["a"]}]}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		if r, err := ReadReview(raw); err == nil && (r.Reasoning == "" || len(r.Discoveries) > maxDiscoveries) {
			t.Errorf("%+v", r)
		}
	})
}
