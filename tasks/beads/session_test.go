package beads

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"ocaptain/tasks"
)

var noon = time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)

func session() Session {
	return Session{Voyage: "voyage-1", Prefix: "kite", Clean: func(s string) string { return s }}
}

func state(id, subject string, more map[string]any, blockers ...string) *tasks.State {
	return &tasks.State{Task: tasks.Task{ID: id, Subject: subject, Status: tasks.Pending, BlockedBy: blockers, Metadata: more}}
}

func TestPut(t *testing.T) {
	s := session()
	epic := state("1", "Add login", map[string]any{"type": tasks.Epic, "labels": []any{"security", "backend"}})
	epic.Status, epic.Owner = tasks.InProgress, "coordinator-0"
	model := state("1-1", "User model", map[string]any{"parent": "1", "type": "feature", "group": "models", "priority": 0.0})
	model.Status, model.Owner, model.Commit = tasks.Completed, "worker-0", "0123456789abcdef"
	page := state("1-2", "Login <page>", map[string]any{"parent": "1", "acceptance": "it is there"}, "1-1")
	page.Description = "Make it." + tasks.AcceptedWhen("it is there")
	hidden := state("keeper", "x", map[string]any{"_internal": true})
	f := Read(nil)
	if !s.Put(f, []*tasks.State{epic, model, page, hidden}, noon) || len(f.Issues()) != 3 {
		t.Fatalf("it is\n%s", f.Bytes())
	}
	e, m, p := f.Issue(s.id(epic)), f.Issue(s.id(model)), f.Issue(s.id(page))
	if e.Type != tasks.Epic || e.Status != InProgress || strings.Join(e.Labels, " ") != "backend security" || e.ExternalRef != "captain:voyage-1/1" || !e.Created.Equal(noon) {
		t.Errorf("the epic is %+v", e)
	}
	if m.Status != Closed || m.CloseReason != "merged as 0123456789ab" || !m.Closed.Equal(noon) || m.Parent() != e.ID || m.Priority != 0 || m.mark().Group != "models" || strings.Join(m.Labels, " ") != "group:models" {
		t.Errorf("what is merged is %+v", m)
	}
	if p.Title != "Login <page>" || p.Status != Open || p.Description != "Make it." || p.Acceptance != "it is there" || strings.Join(p.dependsOn(blocks), " ") != m.ID || p.Priority != 2 {
		t.Errorf("what is to be done is %+v", p)
	}
	if want := `","title":"Login <page>","description":"Make it.","acceptance_criteria":"it is there","status":"open","priority":2,"issue_type":"task","created_at":"2026-01-31T12:00:00Z","created_by":"captain","updated_at":"2026-01-31T12:00:00Z","external_ref":"captain:voyage-1/1-2","metadata":{`; !strings.Contains(string(f.raw(p.ID)), want) {
		t.Errorf("it is written as %s", f.raw(p.ID))
	}
	if again := Read(f.Bytes()); len(again.Defects) > 0 || s.Put(again, []*tasks.State{epic, model, page}, noon.Add(time.Hour)) {
		t.Errorf("what is written already is written again as\n%s\n%v", again.Bytes(), again.Defects)
	}
	if got := ids(Ready(f.Issues(), noon)); got != p.ID {
		t.Errorf("ready is %s", got)
	}
	page.Cancelled, page.Status, page.Reason = true, tasks.Completed, "not needed"
	if !s.Put(f, []*tasks.State{epic, model, page}, noon.Add(-time.Hour)) || f.Issue(p.ID).CloseReason != "cancelled: not needed" || !f.Issue(p.ID).Updated.After(noon) {
		t.Errorf("cancelled, it is %s", f.raw(p.ID))
	}
}

// TestTasks reads the tasks back that a session has written as issues.
func TestTasks(t *testing.T) {
	s, f := session(), Read(nil)
	epic := state("1", "Add login", map[string]any{"type": tasks.Epic})
	done := state("1-1", "User model", map[string]any{"parent": "1"})
	done.Status, done.Commit = tasks.Completed, "0123456789abcdef"
	page := state("1-2", "Login page", map[string]any{"parent": "1"}, "1-1")
	gone := state("1-3", "Logout", map[string]any{"parent": "1"})
	gone.Status, gone.Cancelled = tasks.Completed, true
	s.Put(f, []*tasks.State{epic, done, page, gone}, noon)
	other := s
	other.Voyage = "voyage-2"
	other.Put(f, []*tasks.State{state("1", "Another session's", nil)}, noon)
	got := ""
	for _, t := range s.Tasks(f) {
		got += fmt.Sprintf("%s %s, %s, part of %q, after %v, cancelled %t\n", t.ID, t.Subject, t.Status, t.Parent(), t.BlockedBy, t.Cancelled)
	}
	for _, want := range []string{
		"1 Add login, pending, part of \"\", after [], cancelled false\n",
		"1-1 User model, pending, part of \"1\", after [], cancelled false\n", // the branch tells what is merged
		"1-2 Login page, pending, part of \"1\", after [1-1], cancelled false\n",
		"1-3 Logout, completed, part of \"1\", after [], cancelled true\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("want %s in\n%s", want, got)
		}
	}
	if strings.Count(got, "\n") != 4 {
		t.Errorf("the tasks are\n%s", got)
	}
}

// An issue that people reopened belongs to a new task, and is closed with that task.
func TestPutReopened(t *testing.T) {
	s := session()
	old := state("1", "Model", nil)
	old.Status = tasks.Completed
	f := Read(nil)
	s.Put(f, []*tasks.State{old}, noon)
	id := s.id(old)
	f = Read([]byte(strings.Replace(string(f.Bytes()), `"status":"closed"`, `"status":"open","notes":"still broken"`, 1)))
	wishes := s.Wishes(f, Read(nil), []*tasks.State{old}, noon)
	if len(wishes) != 1 || !wishes[0].Reopened || wishes[0].Edit.Description != "Notes: still broken" {
		t.Fatalf("%+v", wishes)
	}
	again := state("2", wishes[0].Edit.Subject, map[string]any{Key: id})
	again.Description = wishes[0].Edit.Description
	all := []*tasks.State{old, again}
	for _, c := range []struct {
		status tasks.Status
		want   string
	}{{tasks.Pending, Open}, {tasks.InProgress, InProgress}, {tasks.Completed, Closed}} {
		again.Status = c.status
		if s.Put(f, all, noon); f.Issue(id).Status != c.want || len(f.Issues()) != 1 {
			t.Errorf("%s: it is\n%s", c.status, f.Bytes())
		}
		if w := s.Wishes(f, Read(nil), all, noon); len(w) > 0 {
			t.Errorf("%s: %+v", c.status, w)
		}
		if s.Put(f, all, noon) {
			t.Errorf("%s: it is written again", c.status)
		}
	}
	if i := f.Issue(id); i.Notes != "still broken" || i.Description != "" || i.mark().Task != "2" {
		t.Errorf("%+v", i)
	}
}

// bd before 0.50 drops marks. The last file that Put wrote then shows which changes people made.
func TestPutForgotten(t *testing.T) {
	s := session()
	task := state("kite-1", "Model", map[string]any{Key: "kite-1", "priority": 0.0})
	const old = `{"id":"kite-1","title":"Model","status":"open","metadata":{"captain":{"run":"echo"},"own":1}}` + "\n"
	f := Read([]byte(old))
	task.Status = tasks.Completed
	s.Put(f, []*tasks.State{task}, noon)
	if !strings.Contains(string(f.Bytes()), `"captain":{"run":"echo","session":"voyage-1"`) {
		t.Errorf("%s", f.Bytes())
	}
	s.Last = f
	forgotten := Read([]byte(old))
	if w := s.Wishes(forgotten, Read([]byte(old)), []*tasks.State{task}, noon); len(w) != 1 || !w[0].Reopened {
		t.Errorf("%+v", w)
	}
	if s.Put(forgotten, []*tasks.State{task}, noon) {
		t.Errorf("it is closed again: %s", forgotten.Bytes())
	}
}

// An issue added with unusual texts keeps its task, and no text counts as changed.
func TestPutAdded(t *testing.T) {
	s := session()
	added := `{"id":"kite-1","title":"Model","design":"d","acceptance_criteria":"a","labels":["x"],"priority":0,"status":"open"}` + "\n"
	f := Read([]byte(added))
	w := s.Wishes(f, Read(nil), nil, noon)
	if len(w) != 1 || w[0].Edit.Check() != nil {
		t.Fatalf("%+v", w)
	}
	task := &tasks.State{Task: w[0].Edit.NewTask(map[string]any{Key: "kite-1"}, nil)}
	for range 2 {
		if w := s.Wishes(f, Read(nil), []*tasks.State{task}, noon); len(w) > 0 {
			t.Errorf("%+v", w)
		}
		task.ID, task.Status = "1", tasks.InProgress
		s.Put(f, []*tasks.State{task}, noon)
	}
	f = Read([]byte(strings.Replace(string(f.Bytes()), `"title":"Model"`, `"title":"Other"`, 1)))
	if w := s.Wishes(f, Read(nil), []*tasks.State{task}, noon); len(w) != 1 || w[0].Edit.Subject != "Other" {
		t.Errorf("%+v\n%s", w, f.Bytes())
	}
}

// TestPutTakenUp updates an issue that is older than the session: all fields that the task does not set stay, and no
// other line changes.
func TestPutTakenUp(t *testing.T) {
	s := session()
	const line = `{"own":{"b":1, "a":[2]},"id":"kite-1","title":"Old","status":"open","priority":1,"issue_type":"bug","updated_at":"2026-01-30T12:00:00Z","metadata":{"x": 1}}`
	const other = `{"id":"kite-2","title":"Other",  "status":"open"}`
	f := Read([]byte(line + "\n" + other + "\n"))
	it := state("kite-1", "Old", map[string]any{Key: "kite-1"})
	if s.Put(f, []*tasks.State{it}, noon) {
		t.Errorf("before anybody has begun, it is\n%s", f.Bytes())
	}
	it.Status, it.Owner = tasks.InProgress, "ship-0"
	if !s.Put(f, []*tasks.State{it}, noon) {
		t.Error("it is not written that somebody has begun")
	}
	it.Status, it.Commit = tasks.Completed, "abc"
	s.Put(f, []*tasks.State{it}, noon.Add(time.Minute))
	const want = `{"own":{"b":1, "a":[2]},"id":"kite-1","title":"Old","status":"closed","priority":1,"issue_type":"bug","assignee":"ship-0","updated_at":"2026-01-31T12:01:00Z","closed_at":"2026-01-31T12:01:00Z","close_reason":"merged as abc","metadata":{"x":1,"captain":`
	if got := string(f.Bytes()); !strings.HasPrefix(got, want) || !strings.HasSuffix(got, "}}}\n"+other+"\n") {
		t.Errorf("done, it is\n%s", got)
	}
}

// Changes by people stay until the task changes again.
func TestPutLeavesPeoples(t *testing.T) {
	s := session()
	it := state("1", "Ours", nil)
	f := Read(nil)
	s.Put(f, []*tasks.State{it}, noon)
	id := s.id(it)
	f = Read([]byte(strings.Replace(strings.Replace(string(f.Bytes()), "Ours", "Theirs", 1), `"status":"open","priority"`, `"status":"closed","closed_at":"2026-01-31T12:01:00Z","priority"`, 1)))
	if len(f.Defects) > 0 || s.Put(f, []*tasks.State{it}, noon) {
		t.Fatalf("what people changed is\n%s\n%v", f.Bytes(), f.Defects)
	}
	it.Subject = "Newer"
	if s.Put(f, []*tasks.State{it}, noon.Add(time.Minute)); f.Issue(id).Title != "Newer" || f.Issue(id).Status != Closed {
		t.Errorf("after the task changed, it is %s", f.raw(id))
	}
}

func TestID(t *testing.T) {
	one, other := state("1", "", nil), state("2", "", nil)
	if a := ID("kite", "voyage-1", &one.Task); a != ID("kite", "voyage-1", &one.Task) || a == ID("kite", "voyage-1", &other.Task) || a == ID("kite", "voyage-2", &one.Task) || len(a) != 13 || !strings.HasPrefix(a, "kite-") {
		t.Errorf("the id is %s", a)
	}
	f := Read([]byte(`{"id":"a-b-1","title":"x"}` + "\n" + `{"id":"c-1.2","title":"x"}` + "\n" + `{"id":"a-b-2","title":"x"}` + "\n"))
	if p := f.Prefix("captain"); p != "a-b" {
		t.Errorf("the prefix is %s", p)
	}
	if p := Read(nil).Prefix("captain"); p != "captain" {
		t.Errorf("without issues the prefix is %s", p)
	}
}
