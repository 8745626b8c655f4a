package loopback

import (
	"encoding/json"
	"slices"
	"testing"
)

func TestCounts(t *testing.T) {
	result := func(tool, text string, failed bool) Part {
		return Part{Type: "tool_result", Tool: tool, Input: json.RawMessage("{}"), Text: text, Failed: failed}
	}
	log := []Exchange{
		{Session: "title", Asked: 10},
		{Session: "a", Length: 1, Asked: 100, Prompts: []string{"Begin."}},
		{Session: "a", Length: 3, Asked: 120, Fresh: []Part{result("TaskUpdate", "Task not found", false)}},
		{Session: "a", Length: 5, Asked: 130, Prompts: []string{"Task 2 is ready"}, Fresh: []Part{result("TaskList", "none", false)}},
		{Session: "a", Length: 6, Asked: 130, Prompts: []string{"Task 3 is ready"}},
		{Session: "a", Length: 7, Asked: 150, Fresh: []Part{result("Bash", "", false)}},
		{Session: "b", Length: 1, Asked: 90, Prompts: []string{"This is a new conversation."}}, // a new conversation on the same ship
		{Session: "c", Length: 1, Asked: 50, Prompts: []string{"Begin."}},
		{Session: "c", Length: 3, Fresh: []Part{result("Bash", "exit 1", true)}}, // gets no answer
	}
	session := func(id, ship string) Session {
		return Session{ID: id, Last: Request{Messages: []Message{{"user", []Part{{Type: "text", Text: "You are " + ship + "."}}}}}}
	}
	got := counts(log, []Session{session("a", "worker-0"), session("b", "worker-0"), session("c", "planner-0"), {ID: "title"}})
	want := []Count{
		{Role: "", Requests: 1, Input: 10},
		{Role: "planner", Requests: 2, Input: 50, Refused: 1, Woken: 1},
		{Role: "worker", Requests: 6, Input: 720, Cached: 100 + 120 + 130 + 130, Refused: 1, Woken: 4, InVain: 1},
	}
	if !slices.Equal(got, want) {
		t.Errorf("counted\n%+v, want\n%+v", got, want)
	}
}
