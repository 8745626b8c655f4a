package reader

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// record is a voyage made by hand.
type record struct {
	*testing.T
	Voyage
	lines []string
	ship  string // working tree of a ship
}

// sound makes a voyage without faults: three tasks, the last waiting for the others, and an edit of the captain's.
func sound(t *testing.T) *record {
	t.Helper()
	dir := t.TempDir()
	r := &record{T: t, ship: filepath.Join(dir, "ship"), Voyage: Voyage{
		Journal: filepath.Join(dir, "events.jsonl"), Workspace: filepath.Join(dir, "workspace"), Branch: "voyage-1",
		Plan: Plan{Shared: "shared", Tasks: []Task{
			{ID: "1", File: "one", Content: "1\n", Line: "line-1"},
			{ID: "2", File: "two", Content: "2\n", Line: "line-2"},
			{ID: "3", File: "three", Content: "3\n", After: []string{"1", "2"}},
		}},
		Edits: []Edit{{"note", "first\n"}, {"note", "second\n"}},
	}}
	r.run(dir, "init", "-q", "-b", r.Branch, r.Workspace)
	r.put("shared", "begin\n")
	r.commit("begin", "")
	for i, task := range r.Tasks {
		r.event("task.claimed", task.ID, "")
		r.put(task.File, task.Content)
		if task.Line != "" {
			r.append("shared", task.Line+"\n")
		}
		r.event("task.completed", task.ID, r.commit("task", task.ID))
		if i < len(r.Edits) {
			r.put("note", r.Edits[i].Content)
			r.commit("captain: edits", "")
		}
	}
	r.lines = append(r.lines, `{"kind":"voyage.phase","data":{"phase":"complete"}}`)
	r.run(dir, "clone", "-q", r.Workspace, r.ship)
	return r
}

func (r *record) run(dir string, args ...string) string {
	r.Helper()
	out, err := Git(dir, append([]string{"-c", "user.name=Ada", "-c", "user.email=ada@example.org"}, args...)...)
	if err != nil {
		r.Fatal(err)
	}
	return strings.TrimSpace(out)
}

func (r *record) put(name, content string) { r.write(filepath.Join(r.Workspace, name), content) }

func (r *record) write(file, content string) {
	r.Helper()
	if err := os.WriteFile(file, []byte(content), 0o644); err != nil {
		r.Fatal(err)
	}
}

func (r *record) append(name, more string) {
	r.Helper()
	raw, err := os.ReadFile(filepath.Join(r.Workspace, name))
	if err != nil {
		r.Fatal(err)
	}
	r.put(name, string(raw)+more)
}

// commit commits all files, with a task's trailer unless task is "".
func (r *record) commit(subject, task string) string {
	r.Helper()
	if task != "" {
		subject += "\n\nOcaptain-Task: " + task
	}
	r.run(r.Workspace, "add", "-A")
	r.run(r.Workspace, "commit", "-q", "--allow-empty", "-m", subject)
	return r.run(r.Workspace, "rev-parse", "HEAD")
}

func (r *record) event(kind, task, commit string) { r.eventOf("ship-0", 1, kind, task, commit) }

func (r *record) eventOf(owner string, epoch int, kind, task, commit string) {
	r.lines = append(r.lines, fmt.Sprintf(`{"kind":%q,"data":{"task":%q,"owner":%q,"epoch":%d,"commit":%q}}`, kind, task, owner, epoch, commit))
}

// check judges the record in its present state.
func (r *record) check(m *Memory) []string {
	r.write(r.Journal, strings.Join(r.lines, "\n")+"\n")
	return r.Check(m)
}

// TestSound: Check finds nothing wrong with a sound voyage.
func TestSound(t *testing.T) {
	r := sound(t)
	var m Memory
	if wrong := r.check(&m); len(wrong) > 0 {
		t.Errorf("%q", wrong)
	}
	if p := m.Look(r.Journal); p != "complete" {
		t.Errorf("the phase is %q", p)
	}
	a, err := LookAboard("ship-0", r.ship)
	if err != nil || len(a.Files) != 5 {
		t.Fatalf("%+v, %v", a, err)
	}
	if wrong := a.Kept(r.Workspace); len(wrong) > 0 {
		t.Errorf("%q", wrong)
	}
}

// restate replaces the journal by a restatement of all tasks, the given number of them completed.
func (r *record) restate(completed int) {
	lines := []string{fmt.Sprintf(`{"kind":"task.restating","data":{"begin":true,"tasks":%d}}`, len(r.Tasks))}
	for i, task := range r.Tasks {
		status := "pending"
		if i < completed {
			status = "completed"
		}
		var done Event
		_ = json.Unmarshal([]byte(r.lines[2*i+1]), &done)
		lines = append(lines, fmt.Sprintf(`{"kind":"task.restored","data":{"state":{"id":%q,"status":%q,"owner":"ship-0","store":{"epoch":1,"commit":%q}}}}`, task.ID, status, done.Data.Commit))
	}
	r.lines = append(lines, fmt.Sprintf(`{"kind":"task.restating","data":{"tasks":%d}}`, len(r.Tasks)))
}

// TestRestated: Check finds nothing wrong with a damaged journal that was restated correctly.
func TestRestated(t *testing.T) {
	r := sound(t)
	var m Memory
	r.write(r.Journal, strings.Join(r.lines, "\n")+"\n")
	m.Look(r.Journal)
	last := r.lines[4:]
	r.restate(2)
	r.lines = append(r.lines, last...)
	if wrong := r.check(&m); len(wrong) > 0 {
		t.Errorf("%q", wrong)
	}
	r.write(r.Journal, `{"kind":"voyage.fleet","data":{"phase":"complete"}}`+"\n"+`{"kind":"voyage.fleet","data":{"serial":3}}`+"\n")
	if is := m.Look(r.Journal); is != "complete" {
		t.Errorf("the phase is %q", is)
	}
}

// TestFalsified: Check finds each falsification.
func TestFalsified(t *testing.T) {
	for _, f := range []struct {
		name    string
		falsify func(*record) *Memory
		want    string
	}{
		{"a second completion", func(r *record) *Memory {
			r.event("task.completed", "2", r.run(r.Workspace, "rev-parse", "HEAD"))
			return nil
		}, "task 2 has 2 completions"},
		{"no completion", func(r *record) *Memory { r.lines = r.lines[:5]; return nil }, "task 3 has 0 completions"},
		{"another commit before", func(r *record) *Memory {
			line := strings.Replace(r.lines[1], `"commit":"`, `"commit":"f`, 1)
			old := filepath.Join(r.TempDir(), "old.jsonl")
			r.write(old, line+"\n")
			var m Memory
			m.Look(old)
			return &m
		}, "task 1 was accepted with 2 different commits"},
		{"claimed too early", func(r *record) *Memory { r.lines[1], r.lines[4] = r.lines[4], r.lines[1]; return nil }, "task 3 was claimed before task 1"},
		{"completed by another", func(r *record) *Memory {
			r.lines[1] = strings.Replace(r.lines[1], "ship-0", "ship-1", 1)
			return nil
		}, "was completed by ship-1"},
		{"claimed again", func(r *record) *Memory { r.event("task.claimed", "1", ""); return nil }, "claimed after it was completed"},
		{"no commit", func(r *record) *Memory { r.run(r.Workspace, "reset", "-q", "--hard", "HEAD~1"); return nil }, "task 3 has no commit"},
		{"merged twice", func(r *record) *Memory { r.append("one", ""); r.commit("again", "1"); return nil }, "task 1 is on the branch twice"},
		{"wrong order", func(r *record) *Memory {
			r.Tasks[0].After = []string{"3"}
			return nil
		}, "the commit of task 1 is before that of task 3"},
		{"content lost later", func(r *record) *Memory { r.put("one", ""); r.commit("captain: edits", ""); return nil }, `one of task 1 has ""`},
		{"another file in a task's commit", func(r *record) *Memory {
			r.put("stray", "x")
			r.commit("task", "4")
			return nil
		}, "the commit of task 4 changes stray"},
		{"line of another in a task's commit", func(r *record) *Memory {
			r.append("shared", "line-9\n")
			r.run(r.Workspace, "commit", "-qa", "--amend", "-C", "HEAD")
			return nil
		}, `the commit of task 3 adds "line-9" to shared`},
		{"line taken away", func(r *record) *Memory {
			r.put("shared", "begin\nline-1\n")
			r.run(r.Workspace, "commit", "-qa", "--amend", "-C", "HEAD")
			return nil
		}, `the line of task 2 is 0 times`},
		{"invented edit", func(r *record) *Memory { r.put("note", "half"); r.commit("captain: edits", ""); return nil }, "who never wrote that"},
		{"invented removal", func(r *record) *Memory {
			r.run(r.Workspace, "rm", "-q", "two")
			r.commit("captain: edits", "")
			return nil
		}, "has two as"},
		{"lost edit", func(r *record) *Memory { r.Edits = append(r.Edits, Edit{"note", "third\n"}); return nil }, "neither on the branch nor in his tree nor stashed"},
		{"markers", func(r *record) *Memory {
			r.put("two", "<<<<<<< ocaptain/branch\n2\n=======\n")
			r.commit("captain: edits", "")
			return nil
		}, "markers of a conflict"},
		{"restated without a completion", func(r *record) *Memory { r.restate(2); return nil }, "task 3 has 0 completions"},
		{"a restatement that is not whole", func(r *record) *Memory {
			r.restate(3)
			r.lines = slices.Delete(r.lines, 2, 3)
			return nil
		}, "task 1 has 0 completions"},
		{"claimed again after a restatement", func(r *record) *Memory {
			r.restate(3)
			r.event("task.claimed", "1", "")
			return nil
		}, "claimed after it was completed"},
		{"no branch", func(r *record) *Memory { r.Branch = "voyage-2"; return nil }, "the branch cannot be read"},
		{"no journal", func(r *record) *Memory { r.Journal += "/gone"; return nil }, "has 0 completions"},
	} {
		t.Run(f.name, func(t *testing.T) {
			r := sound(t)
			m := f.falsify(r)
			if strings.HasSuffix(r.Journal, "/gone") {
				if wrong := strings.Join(r.Check(m), "\n"); !strings.Contains(wrong, f.want) {
					t.Errorf("no %q in\n%s", f.want, wrong)
				}
				return
			}
			if wrong := strings.Join(r.check(m), "\n"); !strings.Contains(wrong, f.want) {
				t.Errorf("no %q in\n%s", f.want, wrong)
			}
		})
	}
}

// TestKeptStash: the captain's edit may be in a stash.
func TestKeptStash(t *testing.T) {
	r := sound(t)
	for _, file := range []string{"new", "note"} { // a file that git tracks, and an untracked one
		r.put(file, "third\n")
		r.Edits = append(r.Edits, Edit{file, "third\n"})
	}
	if wrong := strings.Join(r.check(nil), "\n"); wrong != "" {
		t.Fatal(wrong)
	}
	r.run(r.Workspace, "stash", "push", "-q", "-u")
	if wrong := strings.Join(r.check(nil), "\n"); wrong != "" {
		t.Error(wrong)
	}
	r.run(r.Workspace, "stash", "drop", "-q")
	if wrong := r.check(nil); len(wrong) != 2 {
		t.Errorf("%q", wrong)
	}
}

// TestNotKept: Kept finds files that only a ship had.
func TestNotKept(t *testing.T) {
	r := sound(t)
	r.write(filepath.Join(r.ship, "late"), "late work\n")
	a, err := LookAboard("ship-0", r.ship)
	if err != nil {
		t.Fatal(err)
	}
	if wrong := a.Kept(r.Workspace); len(wrong) != 1 || !strings.Contains(wrong[0], "ship-0 had late") {
		t.Errorf("%q", wrong)
	}
}

// TestMemory: the memory survives the journal.
func TestMemory(t *testing.T) {
	r := sound(t)
	r.check(nil)
	var m Memory
	m.Look(r.Journal)
	r.write(r.Journal, "{torn")
	m.Look(r.Journal)
	if got := m.Completed(time.Now()); len(got) != 3 {
		t.Errorf("%q", got)
	}
	if !Alive(os.Getpid()) || Alive(1<<30) {
		t.Error("who is alive?")
	}
}
