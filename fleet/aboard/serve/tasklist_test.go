package serve

import (
	"encoding/json"
	"testing"

	"ocaptain/fleet/aboard/shipdir"
	"ocaptain/fleet/proto"
	"ocaptain/tasks"
)

// Helm's answers and news are taken in whatever they hold.
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
