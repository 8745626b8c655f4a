package taskfile

import (
	"reflect"
	"strings"
	"testing"

	"ocaptain/fleet/clean/cleantest"
	"ocaptain/tasks"
)

func sample() *tasks.State {
	return &tasks.State{Task: tasks.Task{
		ID: "7", Subject: "Add two: it is #1", Description: "Two is missing.\n\n---\nReally.\n", Blocks: []string{"10", "9"}, BlockedBy: []string{"3"},
		Metadata: map[string]any{"priority": 1.0, "labels": []any{"a", "b"}, "verify": "go test ./... # all", "only_ship": "ship-1"},
	}}
}

func text(t *testing.T, task *tasks.State, changes ...string) *tasks.Edit {
	t.Helper()
	s := string(Text(task))
	if now := strings.NewReplacer(changes...).Replace(s); len(changes) > 0 && now == s {
		t.Fatalf("%q changes nothing of\n%s", changes, s)
	} else {
		s = now
	}
	e, err := Parse([]byte(s), task)
	if err != nil {
		t.Fatalf("%v in\n%s", err, s)
	}
	return e
}

func TestParse(t *testing.T) {
	str := func(s string) *string { return &s }
	urgent := 0
	for name, tt := range map[string]struct {
		changes []string
		want    *tasks.Edit
	}{
		"nothing":     {nil, nil},
		"carriage":    {[]string{"\n", "\r\n"}, nil},
		"subject":     {[]string{"Add two: it is", "Add 2: it is"}, &tasks.Edit{Task: "7", Subject: "Add 2: it is #1"}},
		"description": {[]string{"Really.", "Truly."}, &tasks.Edit{Task: "7", Description: "Two is missing.\n\n---\nTruly."}},
		"priority":    {[]string{"priority: 1", "priority: 0"}, &tasks.Edit{Task: "7", Priority: &urgent}},
		"labels":      {[]string{"labels: a, b", "labels: b"}, &tasks.Edit{Task: "7", Labels: &[]string{"b"}}},
		"edges":       {[]string{"before: 9, 10", "before: 3,9", "after: 3", "after: 10"}, &tasks.Edit{Task: "7", Blocks: []string{"3"}, Unblocks: []string{"10"}, BlockedBy: []string{"10"}, UnblockedBy: []string{"3"}}},
		"no check":    {[]string{"check: \"go test ./... # all\"", "check:"}, &tasks.Edit{Task: "7", Verify: str("")}},
		"ship, agent": {[]string{"ship: ship-1", "ship: ", "agent:", "agent: codex"}, &tasks.Edit{Task: "7", Ship: str(""), Agent: str("codex")}},
	} {
		if got := text(t, sample(), tt.changes...); !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%s: %+v, want %+v", name, got, tt.want)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	for why, text := range map[string]string{
		"no line ---":          "subject: x\n",
		"line 2: unknown":      "subject: x\nsubjct: y\npriority: 2\n---\nx\n",
		"subject is empty":     "priority: 2\n---\nx\n",
		"priority is \"9\"":    "subject: x\npriority: 9\n---\nx\n",
		"priority is \"\"":     "subject: x\n---\nx\n",
		"description is empty": "subject: x\npriority: 2\n---\n \n",
		"no task \"../x\"":     "subject: x\npriority: 2\nafter: ../x\n---\nx\n",
		"shorten it":           strings.Repeat("x", MaxText+1),
	} {
		if e, err := Parse([]byte(text), sample()); err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%q: %+v, %v", text[:min(len(text), 80)], e, err)
		}
	}
}

// An agent's text reaches the captain's editor without control characters; what he does not edit stays
// unchanged.
func TestHostile(t *testing.T) {
	task := &tasks.State{Task: tasks.Task{ID: "1", Subject: cleantest.Hostile, Description: cleantest.Hostile, Metadata: map[string]any{"labels": []any{cleantest.Hostile}}}}
	cleantest.Check(t, "text", string(Text(task)), cleantest.Texts)
}

func FuzzParse(f *testing.F) {
	f.Add(string(Text(sample())), "x")
	f.Fuzz(func(t *testing.T, text, words string) {
		_, _ = Parse([]byte(text), sample())
		task := &tasks.State{Task: tasks.Task{ID: "1", Subject: "s" + words, Description: "d" + words}}
		if e, err := Parse(Text(task), task); e != nil || err != nil {
			t.Errorf("%q: %+v, %v, in\n%s", words, e, err, Text(task))
		}
	})
}
