package launch

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ocaptain/fleet"
	"ocaptain/tasks"
	"ocaptain/tasks/planfile"
)

// A session's tasks become a plan that sails: without wholes, with tasks that waited for a whole now waiting for its parts, and
// with everything still to be done.
func TestPlanOf(t *testing.T) {
	of := func(id, parent string, after ...string) tasks.State {
		s := tasks.State{Task: tasks.Task{ID: id, Subject: "Task " + id, Description: "Do " + id + ".", Status: tasks.Completed, Owner: "worker-0", BlockedBy: after, Metadata: map[string]any{"verify": "true", "ocaptain": "x"}}, Commit: "c" + id}
		if parent != "" {
			s.Metadata["parent"] = parent
		}
		return s
	}
	epic := of("1", "")
	epic.Metadata["type"] = tasks.Epic
	cancelled := of("1-4", "1")
	cancelled.Cancelled = true
	b := &fleet.Board{
		Voyage: fleet.Voyage{ID: "voyage-1", Name: "auth", Kind: fleet.Session, Repo: "none", Prompt: "Add a login."},
		Tasks:  []tasks.State{epic, of("1-1", "1"), of("1-2", "1", "1-1"), of("1-2-1", "1-2"), of("1-2-2", "1-2", "1-2-1"), of("1-3", "1", "1-2", "1-4"), cancelled},
		Ships:  []fleet.ShipView{{}, {}},
	}
	b.Ships[0].Ship = fleet.Ship{Role: fleet.Planner}
	b.Ships[1].Ship = fleet.Ship{Role: fleet.Worker}
	d := fleet.Dir(filepath.Join(t.TempDir(), "voyage-1"))
	if err := os.MkdirAll(d.Artifacts(), 0o755); err != nil {
		t.Fatal(err)
	}
	p, err := PlanOf(d, b)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "plan")
	if err := planfile.Write(dir, p); err != nil {
		t.Fatal(err)
	}
	if err := planfile.Write(dir, p); err == nil || !strings.Contains(err.Error(), "not empty") {
		t.Error(err)
	}
	read, defects := planfile.Open(dir)
	if defects.Errors() > 0 {
		t.Fatal(defects)
	}
	var got []string
	for _, task := range read.Tasks {
		got = append(got, fmt.Sprint(task.ID, task.BlockedBy, task.Status, task.Verify()))
	}
	if want := "1-1[]pendingtrue 1-2-1[]pendingtrue 1-2-2[1-2-1]pendingtrue 1-3[1-2-1 1-2-2]pendingtrue"; strings.Join(got, " ") != want {
		t.Errorf("got  %s\nwant %s", strings.Join(got, " "), want)
	}
	if read.Name != "auth" || read.Ships != 1 || read.Objective != "Add a login." {
		t.Errorf("%+v", read)
	}
	b.Voyage.Kind = fleet.Pool
	if _, err := PlanOf(d, b); err == nil {
		t.Error("a pool is a plan")
	}
}
