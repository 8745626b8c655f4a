package rights

import (
	"strings"
	"testing"

	"ocaptain/fleet"
	"ocaptain/tasks"
)

// TestMay repeats the whole table: for each role and request, the relations that allow it.
func TestMay(t *testing.T) {
	names := map[Relation]string{None: "none", Ready: "ready", Held: "held", Holds: "holds"}
	want := map[Request]map[string]string{
		Claim:    {fleet.Worker: "ready holds", fleet.Planner: "ready holds", fleet.Validator: "ready holds", Given: "holds"},
		Complete: {fleet.Worker: "held holds", fleet.Planner: "held holds", fleet.Validator: "", Given: "held holds"},
		Release:  {fleet.Worker: "holds", fleet.Planner: "holds", fleet.Validator: "holds", Given: "holds"},
		Plan:     {fleet.Worker: "held holds", fleet.Planner: "held holds", fleet.Validator: "", Given: ""},
		Review:   {fleet.Worker: "", fleet.Planner: "", fleet.Validator: "held holds", Given: ""},
	}
	for _, q := range Requests {
		for _, role := range append(Roles, "admiral") {
			var got []string
			for _, r := range Relations {
				if May(role, q, r) {
					got = append(got, names[r])
				}
			}
			if is := strings.Join(got, " "); is != want[q][role] {
				t.Errorf("a %s may %s with a task that is %q to it, want %q", role, q, is, want[q][role])
			}
			if Ask(role, q) != (len(got) > 0) {
				t.Errorf("Ask of a %s and %s contradicts May", role, q)
			}
		}
	}
}

func TestOf(t *testing.T) {
	history := []tasks.Event{
		{Kind: "added"},
		{Kind: tasks.Claimed, Owner: "a", Epoch: 1},
		{Kind: "requeued", Owner: "a", Epoch: 1},
		{Kind: tasks.Claimed, Owner: "b", Epoch: 2},
		{Kind: "requeued", Owner: "b", Epoch: 2},
		{Kind: tasks.Claimed, Owner: "a", Epoch: 3},
	}
	held := &tasks.State{Task: tasks.Task{ID: "1", Status: tasks.InProgress, Owner: "a"}, Epoch: 3}
	ended := &tasks.State{Task: tasks.Task{ID: "1", Status: tasks.Pending}, Epoch: 3}
	done := &tasks.State{Task: tasks.Task{ID: "1", Status: tasks.Completed, Owner: "a"}, Epoch: 3}
	for _, tt := range []struct {
		name  string
		t     *tasks.State
		ship  string
		epoch uint64
		want  Relation
	}{
		{"its present claim", held, "a", 3, Holds},
		{"an earlier claim of its own", held, "a", 1, Held},
		{"no claim shown", held, "a", 0, Held},
		{"a claim to come", held, "a", 4, None},
		{"another's claim", held, "a", 2, None},
		{"the claim before", held, "b", 2, Held},
		{"the holder's claim", held, "b", 3, None},
		{"a stranger", held, "c", 3, None},
		{"a stranger without a claim", held, "c", 0, None},
		{"it ended", ended, "a", 3, Held},
		{"it is done", done, "a", 3, Held},
		{"it is done, by another", done, "b", 3, None},
	} {
		if got := Of(tt.t, tt.ship, tt.epoch, history); got != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}
