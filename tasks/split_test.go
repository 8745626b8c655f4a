package tasks

import (
	"slices"
	"strings"
	"testing"
)

func TestSplit(t *testing.T) {
	whole := &State{Task: Task{ID: "7", Subject: "Login", Description: "All of it.", BlockedBy: []string{"3"}, Metadata: map[string]any{
		"verify": "make test", onlyShip: "ship-1", "priority": 1.0, "labels": []any{"auth"},
	}}}
	raw, err := SplitText("Parse\n\n> Print \nTell\n>\n")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Split(raw, whole); err == nil || !strings.Contains(err.Error(), "has a check") {
		t.Errorf("two parts come last: %v", err)
	}
	delete(whole.Metadata, "verify")
	parts, err := Split(raw, whole)
	if err != nil || len(parts) != 3 {
		t.Fatal(parts, err)
	}
	for i, want := range [][]string{{"3"}, {"7-1"}, {"3"}} {
		p := parts[i]
		if !slices.Equal(p.BlockedBy, want) || p.OnlyShip() != "ship-1" || p.Priority() != 1 || p.Parent() != "7" || !strings.HasSuffix(p.Description, "task 7, Login:\n\nAll of it.") {
			t.Errorf("%+v", p)
		}
	}
	whole.Metadata["verify"] = "make test"
	for text, want := range map[string]string{
		`{"tasks": [{"id": "a", "title": "A", "description": "Mine."}, {"title": "B", "depends_on": ["a"]}]}`: "|make test",
		`{"tasks": [{"id": "a", "title": "A"}, {"title": "B", "depends_on": ["a"], "verify": "make fast"}]}`:  "|make fast",
	} {
		parts, err := Split([]byte(text), whole)
		if err != nil {
			t.Fatal(err)
		}
		if is := parts[0].Verify() + "|" + parts[1].Verify(); is != want {
			t.Errorf("%s: checks are %s", text, is)
		}
	}
	for _, text := range []string{"", `{"tasks": []}`, `{"tasks": [{"id": "x"}]}`, "[]"} {
		if parts, err := Split([]byte(text), whole); err == nil {
			t.Errorf("%s: %v", text, parts)
		}
	}
}
