package cli

import (
	"slices"
	"strings"
	"testing"

	"ocaptain/fleet"
	"ocaptain/tasks"
	"ocaptain/tasks/journal"
)

// The demonstration's verdict rests on the journal alone.
func TestRecordFindsWhatIsWrong(t *testing.T) {
	type event struct {
		kind  string
		claim claims
	}
	claim := func(task, owner string, epoch uint64) event { return event{"task.claimed", claims{task, owner, epoch}} }
	done := func(task, owner string, epoch uint64) event {
		return event{"task.completed", claims{task, owner, epoch}}
	}
	good := []event{claim("1", "a", 1), claim("2", "b", 1), done("1", "a", 1), claim("2", "a", 2), done("2", "a", 2)}
	for name, tt := range map[string]struct {
		events []event
		want   string
	}{
		"good":        {good, ""},
		"not done":    {good[:4], "task 2 was not completed"},
		"twice":       {append(slices.Clone(good), done("1", "b", 1)), "task 1 was completed 2 times"},
		"no claim":    {[]event{done("1", "a", 1), good[1], done("2", "b", 1)}, "task 1 was completed by 0 accepted claims of a"},
		"old claim":   {[]event{claim("1", "a", 1), claim("1", "b", 2), done("1", "a", 2), good[1], done("2", "b", 1)}, "task 1 was completed by 0 accepted claims of a"},
		"same twice":  {[]event{claim("1", "a", 1), claim("1", "a", 1), done("1", "a", 1), good[1], done("2", "b", 1)}, "task 1 was completed by 2 accepted claims of a"},
		"other words": {append(slices.Clone(good), event{"helm.conflict", claims{}}), ""},
	} {
		t.Run(name, func(t *testing.T) {
			d := fleet.Dir(t.TempDir())
			j, err := journal.Open(d.Events())
			if err != nil {
				t.Fatal(err)
			}
			defer j.Close()
			for _, e := range tt.events {
				if _, err := j.AddRecord(e.kind, e.claim); err != nil {
					t.Fatal(err)
				}
			}
			r, err := readRecord(d)
			if err != nil {
				t.Fatal(err)
			}
			board := fleet.Board{Tasks: []tasks.State{
				{Task: tasks.Task{ID: "1", Status: tasks.Completed}}, {Task: tasks.Task{ID: "2", Status: tasks.Completed}},
			}}
			if got := strings.Join(r.wrongTasks(board), "; "); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
	if got := (record{}).wrongTasks(fleet.Board{}); len(got) == 0 {
		t.Error("no tasks at all are fine")
	}
}
