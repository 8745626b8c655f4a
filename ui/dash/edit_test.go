package dash

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"ocaptain/fleet/helm/api"
	"ocaptain/tasks"
	"ocaptain/ui/dash/act"
	"ocaptain/ui/dash/act/ontask"
	"ocaptain/ui/editor"
	"ocaptain/ui/taskfile"
)

// wanted returns the edit that helm is asked to make.
func wanted(t *testing.T, body string) tasks.Edit {
	t.Helper()
	var r api.EditRequest
	if err := json.Unmarshal([]byte(body), &r); err != nil {
		t.Fatalf("%q: %v", body, err)
	}
	return r.Edit
}

// e shows the task as a text when the captain has no editor. A text that cannot be parsed is shown again, as the captain
// wrote it.
func TestEditHere(t *testing.T) {
	s := setStage(t, 160, 44, aBoard(t), nil, nil)
	asked := s.helm()
	s.press("2")
	s.m.v.Tasks.Select("6")
	s.press("e")
	s.shows("Task 6", "priority: 3", "ctrl-s")
	s.press("down", "down", "end")
	for range len("  # 0, the most urgent, to 4") + 1 {
		s.press("backspace")
	}
	s.press("9", "ctrl+s")
	s.shows("give a number from 0", "priority: 9")
	s.press("down", "down", "end", "backspace", "0", "ctrl+s")
	s.until("the action is over", func() bool { return s.m.jobs.Running() == 0 })
	if got := wanted(t, s.next(asked).body); got.Task != "6" || got.Priority == nil || *got.Priority != 0 || got.Subject != "" {
		t.Errorf("helm is asked for %+v", got)
	}
}

// Helm makes the changes that the captain's editor wrote; a text that cannot be parsed is shown again, and the file stays when the
// editor failed.
func TestEditInEditor(t *testing.T) {
	for name, tt := range map[string]struct {
		old, new string
		err      error
		shows    string
		stays    bool
	}{
		"changed":  {"priority: 3", "priority: 0", nil, "change task 6: done", false},
		"as it is": {"", "", nil, "task 6 stays as it is", false},
		"damaged":  {"---", "--", nil, "there is no line ---", false},
		"failed":   {"priority: 3", "priority: 0", errors.New("exit 1"), "your text is in", true},
	} {
		s := setStage(t, 200, 44, aBoard(t), nil, nil)
		s.helm()
		task := s.m.v.Board.Tasks[5]
		draft, err := editor.NewDraft("task.yaml", []byte(strings.Replace(string(taskfile.Text(&task)), tt.old, tt.new, 1)))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(draft.Remove)
		s.do(act.Then(func() cmd { return ontask.Edited(s.m.deck(), task, draft, tt.err) }))
		s.until(name+" is said", func() bool { return strings.Contains(s.text(), tt.shows) })
		if _, err := draft.Read(1 << 20); (err == nil) != tt.stays {
			t.Errorf("%s: the file: %v", name, err)
		}
	}
}

// o on a page opens the diff of its task in an editor; for a task without changes it opens none.
func TestOpenInEditor(t *testing.T) {
	s := setStage(t, 160, 44, aBoard(t), nil, nil)
	if why := s.m.notOpenable(); why == "" {
		t.Error("the dashboard has a diff")
	}
	s.press("2")
	s.m.v.Tasks.Select("6")
	s.press("enter", "o")
	s.until("it is said", func() bool { return s.m.told("cannot open the diff of 6") })
	if s.m.visits.IsAway() {
		t.Error("an editor has the terminal")
	}
}

// S splits a task into the lines that the captain writes.
func TestSplitHere(t *testing.T) {
	s := setStage(t, 160, 44, aBoard(t), nil, nil)
	asked := s.helm()
	s.press("2")
	s.m.v.Tasks.Select("6")
	s.press("S")
	s.shows("Split task 6")
	s.do(tea.PasteMsg{Content: "Parse\n> Print"})
	s.press("ctrl+s")
	if got := s.next(asked); !strings.HasSuffix(got.path, "/split") || got.body != `{"task":"6","tasks":{"tasks":[{"id":"1","title":"Parse"},{"id":"2","title":"Print","depends_on":["1"]}]}}` {
		t.Errorf("helm is asked for %+v", got)
	}
	s.until("the action is over", func() bool { return s.m.jobs.Running() == 0 })
}

// n adds a task to a plan, H holds a task and releases it, D cancels it; H and D ask for confirmation when a ship has
// the task.
func TestAddHoldCancel(t *testing.T) {
	b := aBoard(t)
	s := setStage(t, 160, 44, b, nil, nil)
	asked := s.helm()
	s.press("2")
	s.m.v.Tasks.Select("6")
	s.press("n")
	s.do(tea.PasteMsg{Content: "Tidy up\nx"})
	s.press("ctrl+s")
	if got := wanted(t, s.next(asked).body); got.Task != "" || got.Subject != "Tidy up" || got.Description != "x" {
		t.Errorf("helm is asked for %+v", got)
	}
	s.until("the action is over", func() bool { return s.m.jobs.Running() == 0 })
	s.press("H")
	s.shows("Take task 6 from ship-0?")
	s.press("y")
	if got := s.next(asked); !strings.HasSuffix(got.path, "/requeue") || got.body != `{"task":"6","hold":true}` {
		t.Errorf("helm is asked for %+v", got)
	}
	s.until("the action is over", func() bool { return s.m.jobs.Running() == 0 })
	client := s.m.client
	s.m.client = nil // helm is away while the captain is asked
	s.press("D")
	s.shows("Cancel ")
	s.m.client = client
	s.press("6", "enter")
	if got := s.next(asked); !strings.HasSuffix(got.path, "/cancel") || !strings.Contains(got.body, `"task":"6"`) {
		t.Errorf("helm is asked for %+v", got)
	}
}
