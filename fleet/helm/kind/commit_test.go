package kind

import (
	"reflect"
	"testing"

	"ocaptain/tasks/reconcile"

	"ocaptain/fleet/clean/cleantest"
	"ocaptain/sync"
	"ocaptain/tasks"
)

func TestCommit(t *testing.T) {
	task := &tasks.State{Task: tasks.Task{ID: "7", Subject: "Add two", Description: " Two is missing.\n"}, Epoch: 3}
	for summary, body := range map[string]string{
		"":                "Two is missing.",
		" \n":             "Two is missing.",
		" It is there.\n": "It is there.",
	} {
		want := sync.Merge{
			Name: "ship-0", Subject: "Add two", Body: body, Author: "ship-0 <ship-0@voyage-0>", Keep: "refs/ocaptain/tasks/7",
			Trailers: [][2]string{{"Ocaptain-Task", "7"}, {"Ocaptain-Ship", "ship-0"}, {"Ocaptain-Claim", "7.3"}},
		}
		if is := Commit("voyage-0", task, "ship-0", summary); !reflect.DeepEqual(is, want) {
			t.Errorf("%q: %+v", summary, is)
		}
	}
}

// git shows a commit to the captain, so its text must be clean.
func TestCommitIsClean(t *testing.T) {
	for _, summary := range []string{cleantest.Hostile, cleantest.Long, ""} {
		m := Commit("voyage-0", &tasks.State{Task: tasks.Task{ID: "7", Subject: cleantest.Hostile, Description: cleantest.Hostile}}, "ship-0", summary)
		cleantest.Check(t, "subject", m.Subject, cleantest.Lines)
		cleantest.Check(t, "body", m.Body, cleantest.Texts)
	}
}

// Landed finds what a merge writes, and nothing that only looks similar.
func TestLanded(t *testing.T) {
	commit := func(voyage string, change func(values map[string]string)) sync.Commit {
		m := Commit(voyage, &tasks.State{Task: tasks.Task{ID: "7"}, Epoch: 3}, "ship-0", "")
		c := sync.Commit{ID: "c", Mail: "ship-0@" + voyage, Values: map[string]string{}}
		for _, kv := range m.Trailers {
			c.Values[kv[0]] = kv[1]
		}
		change(c.Values)
		return c
	}
	set := func(key, value string) func(map[string]string) {
		return func(values map[string]string) { values[key] = value }
	}
	nothing := func(map[string]string) {}
	for name, tt := range map[string]struct {
		commit sync.Commit
		ours   bool
	}{
		"ours":                  {commit("voyage-0", nothing), true},
		"of another voyage":     {commit("voyage-1", nothing), false},
		"of the captain":        {sync.Commit{ID: "c", Mail: "captain@example.org"}, false},
		"of another ship":       {commit("voyage-0", set(TrailerShip, "ship-1")), false},
		"of another task":       {commit("voyage-0", set(TrailerTask, "8")), false},
		"of no task":            {commit("voyage-0", set(TrailerTask, "")), false},
		"no epoch":              {commit("voyage-0", set(TrailerClaim, "7.")), false},
		"an epoch made up":      {commit("voyage-0", set(TrailerClaim, "7.03")), false},
		"an epoch out of range": {commit("voyage-0", set(TrailerClaim, "7.99999999999999999999")), false},
	} {
		want := []reconcile.Landed(nil)
		if tt.ours {
			want = []reconcile.Landed{{Task: "7", Owner: "ship-0", Epoch: 3, Commit: "c"}}
		}
		if is := Landed("voyage-0", []sync.Commit{tt.commit}); !reflect.DeepEqual(is, want) {
			t.Errorf("%s: %+v", name, is)
		}
	}
}
