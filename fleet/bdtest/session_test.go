package bdtest

import (
	"strings"
	"testing"
	"time"

	"ocaptain/tasks"
	"ocaptain/tasks/beads"
)

// readsSession checks that bd understands the issues that a session writes: which are ready, which wait, and which
// are parts of others.
func readsSession(t *testing.T, version string) {
	t.Helper()
	s := beads.Session{Voyage: "voyage-1", Prefix: "kite", Clean: func(s string) string { return s }}
	task := func(id string, status tasks.Status, meta map[string]any, blockers ...string) *tasks.State {
		return &tasks.State{Task: tasks.Task{ID: id, Subject: "Do <" + id + ">", Description: "of it", Status: status, BlockedBy: blockers, Metadata: meta}}
	}
	all := []*tasks.State{
		task("1", tasks.InProgress, map[string]any{"type": tasks.Epic, "labels": []any{"backend"}}),
		task("1-1", tasks.Completed, map[string]any{"parent": "1", "priority": 0.0}),
		task("1-2", tasks.Pending, map[string]any{"parent": "1", "type": "bug", "group": "models", "acceptance": "it is"}, "1-1"),
		task("1-3", tasks.Pending, map[string]any{"parent": "1"}, "1-2"),
	}
	f := beads.Read(nil)
	s.Put(f, all, time.Now())
	id := func(n int) string { return beads.ID("kite", "voyage-1", &all[n].Task) }
	p := Begin(t, version, f.Bytes())
	if ready := p.List("ready", "-n", "0"); len(ready) != 1 || ready[0].ID != id(2) || ready[0].Title != "Do <1-2>" || strings.Join(ready[0].Labels, " ") != "group:models" {
		t.Errorf("bd %s calls ready %+v", version, ready)
	}
	if blocked := p.List("blocked"); len(blocked) != 1 || blocked[0].ID != id(3) || strings.Join(blocked[0].BlockedBy, " ") != id(2) {
		t.Errorf("bd %s calls blocked %+v", version, blocked)
	}
	tree := string(p.Run("list", "--all", "--pretty"))
	for n := range all {
		if !strings.Contains(tree, id(n)) {
			t.Errorf("bd %s shows no %s in\n%s", version, id(n), tree)
		}
	}
	if shown := string(p.Run("show", id(2), "--json")); !strings.Contains(shown, `"captain:voyage-1/1-2"`) || !strings.Contains(shown, `"group": "models"`) && !strings.Contains(shown, `"group":"models"`) {
		t.Errorf("bd %s shows\n%s", version, shown)
	}
	p.Run("close", id(2), "--reason", "by hand")
	if version == Files {
		p.Run("sync", "--flush-only")
	} else {
		p.Run("export", "-o", beads.Name)
	}
	back := p.File()
	if len(back.Defects) > 0 || back.Issue(id(2)) == nil || back.Issue(id(2)).Status != beads.Closed {
		t.Fatalf("bd %s writes, with %v\n%s", version, back.Defects, back.Bytes())
	}
	before := back.Issue(id(2)).Title
	if s.Put(back, all[:2], time.Now()) || before != "Do <1-2>" {
		t.Errorf("what bd %s writes is written anew as\n%s", version, back.Bytes())
	}
}

func TestReadsSession(t *testing.T) { readsSession(t, Files) }
