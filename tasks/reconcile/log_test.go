package reconcile

import (
	"fmt"
	"testing"

	"ocaptain/tasks"
)

// TestLog compares a task in the log with what a hub had of it.
func TestLog(t *testing.T) {
	state := func(s tasks.Status, owner string, epoch uint64, commit string) *tasks.State {
		return &tasks.State{Task: tasks.Task{ID: "7", Subject: "seven", Status: s, Owner: owner}, Epoch: epoch, Commit: commit}
	}
	pending, done := state(tasks.Pending, "", 0, ""), state(tasks.Completed, "worker-0", 3, "c1")
	other := state(tasks.Pending, "", 0, "")
	other.Subject = "another seven"
	review := state(tasks.Pending, "", 3, "")
	review.HandIn = &tasks.HandIn{Owner: "worker-0", Epoch: 3, Commit: "h1"}
	landed := []Landed{{"7", "worker-0", 3, "c1", "seven"}}
	for name, test := range map[string]struct {
		log, had *tasks.State
		landed   []Landed
		want     string
	}{
		"nothing is lost":                       {pending, pending, nil, ""},
		"a task":                                {nil, pending, nil, "add 7"},
		"a claim":                               {pending, state(tasks.InProgress, "worker-0", 3, ""), nil, "7 is in_progress by worker-0, epoch 3"},
		"a hand-in":                             {pending, review, nil, "7 is pending by , epoch 3, in review"},
		"a completion":                          {pending, done, landed, "7 is completed by worker-0, epoch 3"},
		"a completion of another hub's":         {pending, pending, landed, "7 is completed by worker-0, epoch 3"},
		"a completion without its work":         {pending, done, nil, "7 is pending by , epoch 3"},
		"a claim, and another has it":           {state(tasks.InProgress, "worker-2-0", 2, ""), state(tasks.InProgress, "worker-0", 3, ""), nil, ""},
		"a completion, and another works on it": {state(tasks.InProgress, "worker-2-0", 4, ""), done, landed, "7 is completed by worker-0, epoch 3"},
		"a completion of another task":          {other, done, landed, "7 is another"},
		"the log knows more":                    {done, pending, landed, ""},
		"a plan":                                {pending, state(tasks.Completed, "planner-0", 2, ""), nil, "7 is completed by planner-0, epoch 2"},
		"a plan, and another makes it":          {state(tasks.InProgress, "planner-2-0", 2, ""), state(tasks.Completed, "planner-0", 2, ""), nil, "7 is completed by planner-0, epoch 2"},
		"a plan that the log lacks":             {nil, state(tasks.Completed, "planner-0", 2, ""), nil, "add 7, 7 is completed by planner-0, epoch 2"},
	} {
		var log, had []*tasks.State
		for all, s := range map[*[]*tasks.State]*tasks.State{&log: test.log, &had: test.had} {
			if s != nil {
				*all = append(*all, s)
			}
		}
		m, others := Log(log, had, Evidence{Landed: test.landed, Has: func(string) bool { return len(test.landed) > 0 }})
		got := ""
		for _, a := range m.Add {
			got = "add " + a.ID
		}
		for _, s := range m.States {
			if got != "" {
				got += ", "
			}
			got += fmt.Sprintf("%s is %s by %s, epoch %d", s.ID, s.Status, s.Owner, s.Epoch)
			if s.InReview() {
				got += ", in review"
			}
		}
		for _, s := range others {
			got += s.ID + " is another"
		}
		if got != test.want {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
}

// TestLogParts has an epic whose id the log has given to another epic: its parts are not put back either, whose ids the other's parts will get.
func TestLogParts(t *testing.T) {
	epic := func(subject string) *tasks.State { return &tasks.State{Task: tasks.Task{ID: "2", Subject: subject}} }
	part := &tasks.State{Task: tasks.Task{ID: "2-1", Subject: "page", Metadata: map[string]any{"parent": "2"}}, Epoch: 1}
	m, others := Log([]*tasks.State{epic("logout")}, []*tasks.State{epic("login"), part}, Evidence{Landed: []Landed{{"2-1", "worker-0", 1, "c1", "page"}}})
	if !m.IsEmpty() || len(others) != 2 {
		t.Errorf("put back are %+v, and not %v", m, others)
	}
}
