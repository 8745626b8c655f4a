package issues

import (
	"testing"

	"ocaptain/fleet"
	"ocaptain/tasks"
)

func TestDue(t *testing.T) {
	on := fleet.Beads{Prefix: "kite"}
	task := func(id string, status tasks.Status) *tasks.State {
		return &tasks.State{Task: tasks.Task{ID: id, Status: status}}
	}
	approved := task("2", tasks.Pending)
	approved.HandIn = &tasks.HandIn{Review: &tasks.Review{}}
	if !approved.Approved() {
		t.Fatal("it is not approved")
	}
	held := *approved
	held.OnHold = true
	for name, c := range map[string]struct {
		b    fleet.Beads
		all  []*tasks.State
		done bool
		last written
		want bool
	}{
		"new ones":          {on, []*tasks.State{task("1", tasks.Pending)}, false, written{}, true},
		"nothing new":       {on, []*tasks.State{task("1", tasks.InProgress)}, false, written{1, 0}, false},
		"completed":         {on, []*tasks.State{task("1", tasks.Completed)}, false, written{1, 0}, true},
		"off":               {fleet.Beads{}, []*tasks.State{task("1", tasks.Completed)}, true, written{}, false},
		"others are merged": {on, []*tasks.State{task("1", tasks.Completed), approved}, false, written{2, 0}, false},
		"others are held":   {on, []*tasks.State{task("1", tasks.Completed), &held}, false, written{2, 0}, true},
		"not at the end":    {fleet.Beads{Prefix: "kite", AtEnd: true}, []*tasks.State{task("1", tasks.Completed)}, false, written{}, false},
		"at the end":        {fleet.Beads{Prefix: "kite", AtEnd: true}, []*tasks.State{task("1", tasks.Completed)}, true, written{}, true},
	} {
		if _, is := due(c.b, tasks.NewSnapshot(1, c.all, nil), c.done, c.last); is != c.want {
			t.Errorf("%s: %v", name, is)
		}
	}
}
