package loopback

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// scene plays Claude Code for a worker: it answers the worker's calls and keeps the conversation.
type scene struct {
	t      *testing.T
	r      Request
	list   []string                         // lines of TaskList
	about  map[string]string                // descriptions, by task
	answer func(call string) (string, bool) // returns the result of an update or a command, and whether that failed
	grants string                           // what a hook says after a claim
	did    []string                         // updates and commands, in order
}

func newScene(t *testing.T, list ...string) *scene {
	return &scene{
		t: t, list: list, about: map[string]string{},
		r:      Request{Tools: []string{"TaskList", "TaskGet", "TaskUpdate", "Bash"}},
		answer: func(string) (string, bool) { return "", false },
	}
}

// turn says something to the worker and answers its calls until the turn ends.
func (s *scene) turn(prompt string) {
	s.t.Helper()
	s.r.Messages = append(s.r.Messages, Message{"user", []Part{{Type: "text", Text: prompt}}})
	for range 100 {
		b := Worker(s.r).Blocks[0]
		if b.Tool == "" {
			s.r.Messages = append(s.r.Messages, Message{"assistant", []Part{{Type: "text", Text: b.Text}}})
			return
		}
		input, err := json.Marshal(b.Input)
		if err != nil {
			s.t.Fatal(err)
		}
		id := fmt.Sprint("call-", len(s.r.Messages))
		call := Part{Type: "tool_use", ID: id, Tool: b.Tool, Input: input}
		result := Part{Type: "tool_result", ID: id, Tool: b.Tool, Input: input}
		result.Text, result.Failed = s.play(b)
		s.r.Messages = append(s.r.Messages, Message{"assistant", []Part{call}}, Message{"user", []Part{result}})
		if b.Input["status"] == "in_progress" && s.grants != "" {
			s.r.Messages = append(s.r.Messages, Message{"user", []Part{{Type: "text", Text: s.grants}}})
		}
	}
	s.t.Fatalf("the worker does not end its turn: %q", s.did)
}

func (s *scene) play(b Block) (string, bool) {
	switch b.Tool {
	case "TaskList":
		return strings.Join(s.list, "\n"), false
	case "TaskGet":
		return "Task\nDescription: " + s.about[b.Input["taskId"].(string)], false
	}
	call := fmt.Sprint("$ ", b.Input["command"])
	if b.Tool == "TaskUpdate" {
		call = fmt.Sprint(b.Input["taskId"], " ", b.Input["status"])
	}
	s.did = append(s.did, call)
	text, failed := s.answer(call)
	if text == "" && b.Tool == "TaskUpdate" {
		s.set(b.Input["taskId"].(string), b.Input["status"].(string))
		text = "Updated task #" + b.Input["taskId"].(string) + " status"
	}
	return text, failed
}

// set changes the status of a task in the list.
func (s *scene) set(id, status string) {
	for i, line := range s.list {
		if rest, ok := strings.CutPrefix(line, "#"+id+" ["); ok {
			_, rest, _ = strings.Cut(rest, "]")
			s.list[i] = "#" + id + " [" + status + "]" + rest
		}
	}
}

func (s *scene) check(want ...string) {
	s.t.Helper()
	if !slices.Equal(s.did, want) {
		s.t.Errorf("the worker did %q, want %q", s.did, want)
	}
}

func TestWorkerTakesTheFirstClaimable(t *testing.T) {
	s := newScene(t, "#1 [completed] a", "#2 [in_progress] b (ship-3)", "#3 [pending] c [blocked by #2]", "#4 [pending] d (really)")
	s.about["4"] = "RUN: make d"
	s.turn("You are ship-0.")
	s.check("4 in_progress", "$ make d", "4 completed")
}

func TestWorkerTurnsAwayWhenRefused(t *testing.T) {
	s := newScene(t, "#1 [pending] a", "#2 [pending] b")
	s.answer = func(call string) (string, bool) {
		if call == "1 in_progress" {
			return "task 1 is owned by ship-3", true
		}
		return "", false
	}
	s.turn("Go.")
	s.check("1 in_progress", "2 in_progress", "2 completed")

	s.answer = func(string) (string, bool) { return "", false }
	s.turn("Stop hook feedback:\ntask 1 is ready")
	s.check("1 in_progress", "2 in_progress", "2 completed", "1 in_progress", "1 completed")
}

func TestWorkerResolvesAVeto(t *testing.T) {
	s := newScene(t, "#1 [pending] a")
	s.about["1"] = "Make a.\nRUN: make a\nRESOLVE: mend a"
	vetoes := 1
	s.answer = func(call string) (string, bool) {
		if call == "1 completed" && vetoes > 0 {
			vetoes--
			return "TaskCompleted hook feedback:\nconflict", false
		}
		return "", false
	}
	s.turn("Go.")
	s.check("1 in_progress", "$ make a", "1 completed", "$ mend a", "1 completed")
}

// Work that is handed in again is reviewed again, with the text of the new grant.
func TestWorkerReviewsTwice(t *testing.T) {
	s := newScene(t)
	for range 2 {
		s.list = []string{"#1 [pending] a"}
		s.answer = func(call string) (string, bool) {
			if call != "1 in_progress" {
				s.list = nil
			}
			return "", false
		}
		s.grants = "<system-reminder>\ntask 1: you review what ship-1 has handed in. Task 1 is yours. Its description, as TaskGet shows it:\n\nRUN: make a\nREVIEW: try a"
		s.turn("Go.")
	}
	review := "$ " + reviewing("1", "try a")
	s.check("1 in_progress", review, "1 in_progress", review)
}

func TestWorkerGivesBackWhatItCannotDo(t *testing.T) {
	s := newScene(t, "#1 [pending] a", "#2 [pending] b")
	s.about["1"] = "RUN: false"
	s.answer = func(call string) (string, bool) {
		return map[bool]string{true: "exit 1"}[call == "$ false"], call == "$ false"
	}
	s.turn("Go.")
	s.check("1 in_progress", "$ false", "$ false", "$ false", "$ false", "$ false", "1 pending", "2 in_progress", "2 completed")
}

func TestWorkerTakesUpItsOwnTask(t *testing.T) {
	s := newScene(t, "#1 [pending] a", "#2 [in_progress] b (ship-1)")
	s.turn("You are ship-1 again.")
	s.check("2 in_progress", "2 completed", "1 in_progress", "1 completed")
}

func TestWorkerRunsWhatAMessageAsks(t *testing.T) {
	s := newScene(t)
	s.turn("Go.")
	s.turn("Captain here.\nRUN: date")
	s.check("$ date")
}

func TestWorkerNeedsTaskTools(t *testing.T) {
	if got := Worker(Request{Tools: []string{"Bash"}}).Blocks[0].Text; got != "I have no task tools." {
		t.Errorf("the worker says %q", got)
	}
}
