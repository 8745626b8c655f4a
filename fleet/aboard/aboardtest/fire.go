package aboardtest

import (
	"encoding/json"
	"io"
	"strings"
	"testing"

	"ocaptain/tasks"
)

// Reply is the result of a hook: its output and its exit code.
type Reply struct {
	Code        int
	Out, Stderr string
}

// Fire runs the hook of an event with a payload.
func Fire(t *testing.T, dir, event string, payload any) Reply {
	t.Helper()
	return FireWith(t, func(in io.Reader, out, stderr io.Writer) int {
		return programs.Hook(t.Context(), dir, event, in, out, stderr)
	}, payload)
}

// FireWith runs a hook as the function run does.
func FireWith(t *testing.T, run func(in io.Reader, out, stderr io.Writer) int, payload any) Reply {
	t.Helper()
	raw, ok := payload.(string)
	if !ok {
		b, err := json.Marshal(payload)
		if err != nil {
			t.Fatal(err)
		}
		raw = string(b)
	}
	var out, stderr strings.Builder
	code := run(strings.NewReader(raw), &out, &stderr)
	return Reply{code, out.String(), stderr.String()}
}

// Decision returns the decision that the hook for claims printed.
func (r Reply) Decision(t *testing.T) (word, reason string, input map[string]any) {
	t.Helper()
	var o struct {
		Specific struct {
			Event    string         `json:"hookEventName"`
			Decision string         `json:"permissionDecision"`
			Reason   string         `json:"permissionDecisionReason"`
			Input    map[string]any `json:"updatedInput"`
		} `json:"hookSpecificOutput"`
	}
	if err := json.Unmarshal([]byte(r.Out), &o); err != nil || o.Specific.Event != "PreToolUse" {
		t.Fatalf("the hook printed %q (%v)", r.Out, err)
	}
	return o.Specific.Decision, o.Specific.Reason, o.Specific.Input
}

// UpdateTask returns the payload of a call of TaskUpdate.
func UpdateTask(input map[string]any) map[string]any {
	return map[string]any{"hook_event_name": "PreToolUse", "session_id": "s1", "tool_name": "TaskUpdate", "tool_input": input}
}

// Task returns a pending task.
func Task(id string) tasks.Task {
	return tasks.Task{ID: id, Subject: "task " + id, Status: tasks.Pending}
}
