package sharedwork

import (
	"testing"

	"ocaptain/tasks"
)

// TestIsWanted has refs of a task in each of its states.
func TestIsWanted(t *testing.T) {
	handedIn := func(by uint64, commit string) *tasks.HandIn { return &tasks.HandIn{Epoch: by, Commit: commit} }
	claimed := tasks.State{Task: tasks.Task{ID: "7", Status: tasks.InProgress}, Epoch: 3}
	pending := tasks.State{Task: tasks.Task{ID: "7", Status: tasks.Pending}, Epoch: 3}
	with := func(t tasks.State, edit func(*tasks.State)) *tasks.State { edit(&t); return &t }
	is := func(t tasks.State) *tasks.State { return &t }
	for name, test := range map[string]struct {
		state  *tasks.State
		draft  bool
		epoch  uint64
		commit string
		want   bool
	}{
		"another hub's task":               {nil, false, 1, "a", true},
		"a claim that is not known yet":    {is(claimed), true, 4, "a", true},
		"a draft of the claim":             {is(claimed), true, 3, "a", true},
		"a hand-in that is to be recorded": {is(claimed), false, 3, "a", true},
		"a draft of an earlier claim":      {is(claimed), true, 2, "a", false},
		"an earlier hand-in":               {is(claimed), false, 2, "a", false},
		"rejected work to go on from":      {with(claimed, func(t *tasks.State) { t.Draft = "a" }), false, 2, "a", true},
		"a draft to go on from":            {with(pending, func(t *tasks.State) { t.Draft = "a" }), true, 0, "a", true},
		"a draft that is replaced":         {with(pending, func(t *tasks.State) { t.Draft = "b" }), true, 0, "a", false},
		"a draft of a requeued claim":      {is(pending), true, 3, "a", false},
		"a hand-in of a requeued claim":    {is(pending), false, 3, "a", false},
		"in review":                        {with(pending, func(t *tasks.State) { t.HandIn = handedIn(3, "a") }), false, 3, "a", true},
		"a validator reviews it":           {with(claimed, func(t *tasks.State) { t.HandIn = handedIn(2, "a") }), false, 2, "a", true},
		"a draft of work in review":        {with(pending, func(t *tasks.State) { t.HandIn = handedIn(3, "a") }), true, 3, "b", false},
		"a draft while it is reviewed":     {with(claimed, func(t *tasks.State) { t.HandIn = handedIn(2, "a") }), true, 2, "b", false},
		"completed":                        {&tasks.State{Task: tasks.Task{ID: "7", Status: tasks.Completed}, Epoch: 3, HandIn: handedIn(3, "a")}, false, 3, "a", false},
	} {
		var all []*tasks.State
		if test.state != nil {
			all = append(all, test.state)
		}
		r := ref{test.draft, "7", test.epoch}
		if got := r.isWanted(tasks.NewSnapshot(1, all, nil), test.commit); got != test.want {
			t.Errorf("%s: wanted is %t", name, got)
		}
	}
}

// TestParse reads names of refs, and takes no others for them.
func TestParse(t *testing.T) {
	for _, r := range []ref{{true, "7", 3}, {false, "epic-1", 0}, {false, "draft", 1}} {
		if got, ok := parse("voyage-1", r.name("voyage-1")); !ok || got != r {
			t.Errorf("%s reads as %+v, %t", r.name("voyage-1"), got, ok)
		}
	}
	for _, name := range []string{
		"refs/heads/main", "refs/ocaptain/voyage-1", "refs/ocaptain/voyage-2/draft/7-3", "refs/ocaptain/voyage-1/draft/7", "refs/ocaptain/voyage-1/draft/7-x",
		"refs/ocaptain/voyage-1/draft/7-03", "refs/ocaptain/voyage-1/7-3", "refs/ocaptain/voyage-1/draft/../7-3", "refs/ocaptain/voyage-1/draft/handin/7-3", "refs/ocaptain/voyage-1/draft/-3",
	} {
		if r, ok := parse("voyage-1", name); ok {
			t.Errorf("%s reads as %+v", name, r)
		}
	}
}
