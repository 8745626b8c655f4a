package storetest

import (
	"fmt"
	"testing"

	"ocaptain/tasks"
)

func grouped(name string, t tasks.Task) tasks.Task { return with(t, "group", name) }

func testGroup(t *testing.T, fresh Fresh) {
	s := open(t, fresh,
		with(grouped("g", task("1")), "priority", 1.0),
		grouped("g", task("2")), grouped("g", task("3", "1")),
		with(task("4"), "priority", 0.0), task("5"))
	first := claim(t, s, "a", "1", "1")
	if fmt.Sprint(first.Group) != "[2 3]" {
		t.Errorf("the claim reserved %v, want 2 and 3", first.Group)
	}
	for _, id := range []string{"2", "3"} {
		if state := is(t, s, id, tasks.Pending, ""); state.ReservedFor != "a" {
			t.Errorf("task %s is reserved for %q, want a", id, state.ReservedFor)
		}
	}
	if no := refused(t, second(s.Claim(t.Context(), "b", "2")), tasks.Taken); no.Owner != "a" || fmt.Sprint(no.Ready) != "[4 5]" {
		t.Errorf("refusal is %+v, want owner a, and 4 and 5 ready", no)
	}
	if no := refused(t, second(s.Claim(t.Context(), "b", "3")), tasks.Taken); no.Owner != "a" {
		t.Errorf("refusal is %+v", no)
	}
	complete(t, s, first, "")
	claim(t, s, "b", "", "4") // the most urgent task, as nothing is reserved for b
	two := claim(t, s, "a", "", "2")
	if fmt.Sprint(two.Group) != "[3]" {
		t.Errorf("the second claim of the group names %v, want 3", two.Group)
	}
	complete(t, s, two, "")
	complete(t, s, claim(t, s, "a", "", "3"), "")

	// All tasks of the group are completed, so it has no owner any more.
	add(t, s, grouped("g", task("6", "1")))
	if state := is(t, s, "6", tasks.Pending, ""); state.ReservedFor != "" {
		t.Errorf("a new task of a finished group is reserved for %s", state.ReservedFor)
	}
	claim(t, s, "c", "6", "6")
	add(t, s, grouped("g", task("7")))
	if state := is(t, s, "7", tasks.Pending, ""); state.ReservedFor != "c" {
		t.Errorf("a new task of a held group is reserved for %q, want c", state.ReservedFor)
	}
}

func testGroupRelease(t *testing.T, fresh Fresh) {
	s := open(t, fresh, grouped("g", task("1")), grouped("g", task("2")), grouped("g", task("3")))
	one := claim(t, s, "a", "1", "1")
	two := claim(t, s, "a", "2", "2")

	// While a still holds a task of the group, the group stays reserved.
	requeue(t, s, tasks.Requeue{Task: "1", Epoch: one.Epoch})
	refused(t, second(s.Claim(t.Context(), "b", "1")), tasks.Taken)
	if state := is(t, s, "1", tasks.Pending, ""); state.ReservedFor != "a" {
		t.Errorf("task 1 is reserved for %q, want a", state.ReservedFor)
	}
	requeue(t, s, tasks.Requeue{Task: "2", Epoch: two.Epoch})
	for _, id := range []string{"1", "2", "3"} {
		if state := is(t, s, id, tasks.Pending, ""); state.ReservedFor != "" {
			t.Errorf("task %s is still reserved for %s", id, state.ReservedFor)
		}
	}
	complete(t, s, claim(t, s, "b", "", "1"), "")

	// b died after the first of its group's two tasks. Requeueing a reserved task frees it.
	refused(t, second(s.Claim(t.Context(), "c", "2")), tasks.Taken)
	requeue(t, s, tasks.Requeue{Task: "2", Owner: "b"})
	refused(t, s.Requeue(t.Context(), tasks.Requeue{Task: "3", Owner: "b"}), tasks.Stale)
	claim(t, s, "c", "", "2")
	refused(t, second(s.Claim(t.Context(), "b", "3")), tasks.Taken)
}
