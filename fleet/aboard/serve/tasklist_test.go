package serve

import (
	"encoding/json"
	"strings"
	"testing"

	"ocaptain/fleet/aboard/shipdir"
	"ocaptain/fleet/proto"
	"ocaptain/tasks"
)

// FuzzBoard feeds the task list any answers and news of helm.
func FuzzBoard(f *testing.F) {
	f.Add(`{"full":true,"tasks":[{"id":"1","status":"pending"}]}`)
	f.Add(`{"more":true,"full":true,"tasks":[{"id":"../x"}]}`)
	f.Fuzz(func(t *testing.T, in string) {
		var u proto.TaskUpdate
		if json.Unmarshal([]byte(in), &u) != nil {
			return
		}
		b := newTaskList("ship-0")
		if _, err := b.update(u); err != nil {
			t.Fatal(err)
		}
		if _, err := b.update(proto.TaskUpdate{Full: true, Tasks: []tasks.Task{{ID: "1"}}}); err != nil {
			t.Fatal(err)
		}
		if _, err := b.held(t.Context(), shipdir.HeldRequest{Task: "1"}); err != nil {
			t.Fatal(err)
		}
	})
}

// The agent sees the tasks that it may claim, works on or has worked on, through all changes.
func TestShownTasks(t *testing.T) {
	list := newTaskList("ship-0")
	is := func(id string, status tasks.Status, owner string, by ...string) tasks.Task {
		return tasks.Task{ID: id, Status: status, Owner: owner, BlockedBy: by}
	}
	first := is("1", tasks.InProgress, "ship-1")
	first.Blocks = []string{"2"}
	if _, err := list.update(proto.TaskUpdate{Full: true, Tasks: []tasks.Task{
		first, is("2", tasks.Pending, "", "1"), is("3", tasks.Pending, ""),
		is("4", tasks.InProgress, "ship-0"), is("5", tasks.Completed, "ship-0"), is("6", tasks.Completed, "ship-0"),
	}}); err != nil {
		t.Fatal(err)
	}
	list.show([]string{"6"})
	seen := func(some ...tasks.Task) (ids string) {
		for _, t := range list.shown(some) {
			if !t.Internal() {
				ids += t.ID + strings.Join(t.BlockedBy, "")
			}
		}
		return ids
	}
	var all []tasks.Task
	for _, id := range []string{"1", "2", "3", "4", "5", "6"} {
		one, _ := list.task(id)
		all = append(all, one)
	}
	if got := seen(all...); got != "346" {
		t.Errorf("it sees %s", got)
	}
	first.Status = tasks.Completed
	if _, err := list.update(proto.TaskUpdate{Tasks: []tasks.Task{first}}); err != nil {
		t.Fatal(err)
	}
	if got := seen(first); got != "2" {
		t.Errorf("news that task 1 is completed brings %s", got)
	}
}
