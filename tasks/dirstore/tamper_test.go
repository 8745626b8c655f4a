package dirstore_test

import (
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"strings"
	"syscall"
	"testing"

	"ocaptain/tasks/taskdir"

	"ocaptain/tasks"
	"ocaptain/tasks/eventually"
)

// restored waits until the files show the store's tasks again.
func restored(t *testing.T, s closing, d directory) {
	t.Helper()
	why := "?"
	eventually.Holds(t, "files restored", func() bool { why = d.shows(s); return why == "" })
}

func TestEditsAreUndone(t *testing.T) {
	for name, test := range map[string]struct {
		edit   func(t *tasks.Task)
		fields string
	}{
		"completed without a claim": {func(t *tasks.Task) { t.Status = tasks.Completed }, "[status]"},
		"claimed without asking":    {func(t *tasks.Task) { t.Status, t.Owner = tasks.InProgress, "thief" }, "[owner status]"},
		"other words":               {func(t *tasks.Task) { t.Subject, t.Description, t.ActiveForm = "x", "y", "z" }, "[subject description activeForm]"},
		"other blockers":            {func(t *tasks.Task) { t.BlockedBy, t.Blocks = []string{"3"}, nil }, "[blocks blockedBy]"},
		"other id":                  {func(t *tasks.Task) { t.ID = "9" }, "[id]"},
		"no check":                  {func(t *tasks.Task) { delete(t.Metadata, "verify") }, "[metadata.verify]"},
		"other command":             {func(t *tasks.Task) { t.Metadata["run"] = "rm" }, "[metadata.run]"},
		"flooded":                   {func(t *tasks.Task) { t.Metadata["x"] = strings.Repeat("x", tasks.MaxMetadata) }, "[metadata.x]"},
		"other acceptance":          {func(t *tasks.Task) { t.Metadata["acceptance"] = "anything" }, "[metadata.acceptance]"},
		"a note of its own":         {func(t *tasks.Task) { t.Metadata["progress"] = 50.0; delete(t.Metadata, "colour") }, "[metadata.colour metadata.progress]"},
		"words and metadata":        {func(t *tasks.Task) { t.Subject, t.Metadata["from"] = "x", "production" }, "[subject metadata.from]"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, d, l := voyage(t)
			before := s.Snapshot()
			var found tasks.Task
			d.edit("1", func(task *tasks.Task) { test.edit(task); found = *task })
			got := l.take(t, 1)[0]
			if got.Task != "1" || got.What != taskdir.Edited || fmt.Sprint(got.Fields) != test.fields {
				t.Errorf("report is %+v, want task 1 edited in %s", got, test.fields)
			}
			if got.Change.Subject != found.Subject || got.Change.Status != found.Status {
				t.Errorf("the report shows %+v, the file held %+v", got.Change, found)
			}
			restored(t, s, d)
			if after := s.Snapshot(); !reflect.DeepEqual(after.Tasks, before.Tasks) {
				t.Error("the edit got into the store")
			}
		})
	}
}

func TestDamageIsKeptBeside(t *testing.T) {
	for name, damage := range map[string]func(d directory){
		"half a file":       func(d directory) { d.put("1.json", d.text("1.json")[:60]) },
		"empty":             func(d directory) { d.put("1.json", "") },
		"tail of another":   func(d directory) { d.put("1.json", d.text("1.json")+"\n}") },
		"unknown status":    func(d directory) { d.put("1.json", strings.Replace(d.text("1.json"), "pending", "failed", 1)) },
		"a list is missing": func(d directory) { d.put("1.json", strings.Replace(d.text("1.json"), "blockedBy", "blockedby", 1)) },
		"null owner": func(d directory) {
			d.put("1.json", strings.Replace(d.text("1.json"), `"status"`, `"owner":null,"status"`, 1))
		},
		"huge":        func(d directory) { d.put("1.json", strings.Repeat(" ", 2<<20)) },
		"a directory": func(d directory) { os.Remove(d.path("1.json")); d.must(os.MkdirAll(d.path("1.json/x"), 0o755)) },
		"a pipe":      func(d directory) { os.Remove(d.path("1.json")); d.must(syscall.Mkfifo(d.path("1.json"), 0o644)) },
		"a link": func(d directory) {
			d.must(os.Rename(d.path("1.json"), d.path("elsewhere")))
			d.must(os.Symlink("elsewhere", d.path("1.json")))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, d, l := voyage(t)
			unlock := d.lock("1") // hold the lock, so that the store sees both changes at once
			damage(d)
			var left []byte
			if info, err := os.Stat(d.path("1.json")); err == nil && info.Mode().IsRegular() {
				left, _ = os.ReadFile(d.path("1.json"))
			}
			unlock()
			got := l.take(t, 1)[0]
			if got.Task != "1" || got.What != taskdir.Damaged || got.Kept != d.path("1.json.damaged") {
				t.Errorf("report is %+v", got)
			}
			restored(t, s, d)
			if _, err := os.Lstat(got.Kept); err != nil {
				t.Error(err)
			}
			if left != nil {
				if kept, _ := os.ReadFile(got.Kept); string(kept) != string(left) {
					t.Errorf("kept %.80q, there was %.80q", kept, left)
				}
			}
		})
	}
}

func TestWipedListIsRestored(t *testing.T) {
	s, d, l := voyage(t)
	for _, id := range []string{"1", "2", "3"} {
		g, err := s.Claim(t.Context(), "a", id)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Complete(t.Context(), tasks.Completion{Task: id, Owner: "a", Epoch: g.Epoch}); err != nil {
			t.Fatal(err)
		}
	}
	flush(t, s)
	for _, id := range []string{"1", "2", "3", tasks.Sentinel} {
		os.Remove(d.path(id + ".json"))
	}
	for i, got := range l.take(t, 4) {
		if got.What != taskdir.Deleted || got.Task != []string{"1", "2", "3", tasks.Sentinel}[i] {
			t.Errorf("report is %+v", got)
		}
	}
	restored(t, s, d)
	for _, task := range s.Snapshot().Tasks {
		if task.Status != tasks.Completed {
			t.Errorf("task %s is %s: completion must stick", task.ID, task.Status)
		}
	}
	os.RemoveAll(d.dir) // this time with all its files
	l.take(t, 4)
	restored(t, s, d)
	os.Remove(d.path("2.json")) // the view watches the new directory too
	l.take(t, 1)
	restored(t, s, d)
	d.must(os.Rename(d.dir, d.dir+"-moved"))
	l.take(t, 4)
	restored(t, s, d)
}

func TestNewTasksAreProposals(t *testing.T) {
	s, d, l := voyage(t)
	d.put("4.json", `{"id":"4","subject":"mine","description":"d","status":"completed","blocks":[],"blockedBy":[],"priority":1}`)
	got := l.take(t, 1)[0]
	if got.Task != "4" || got.What != taskdir.Created || got.Change.Subject != "mine" || got.Kept != d.path("4.json.proposed") {
		t.Errorf("report is %+v", got)
	}
	if s.Snapshot().Task("4") != nil || d.text("4.json") != "" || !strings.Contains(d.text("4.json.proposed"), "mine") {
		t.Error("the proposal was taken for a task, or is lost")
	}
	eventually.Holds(t, "its number is not given again", func() bool { return d.text(".highwatermark") == "4" })
	added, err := s.Add(t.Context(), []tasks.Task{{Subject: got.Change.Subject, Status: got.Change.Status}})
	if err != nil || added[0].ID != "4" {
		t.Fatalf("added %+v: %v", added, err)
	}
	restored(t, s, d)
}

// TestForeignFilesStay checks that the view reports a file that is no task, and leaves it alone.
func TestForeignFilesStay(t *testing.T) {
	s, d, l := voyage(t)
	problems := func(n int) func() bool { return func() bool { return len(s.Snapshot().Problems) == n } }
	d.put("8.json", `{"id":"8"`)
	d.put("bad name\x1b.json", `{}`)
	d.put("notes.txt", "x")
	eventually.Holds(t, "two problems", problems(2))
	for _, p := range s.Snapshot().Problems {
		if strings.Contains(p, "\x1b") {
			t.Errorf("problem %q could reach a terminal", p)
		}
	}
	if d.text("8.json") != `{"id":"8"` || d.text("notes.txt") != "x" {
		t.Error("a foreign file was touched")
	}
	os.Remove(d.path("bad name\x1b.json"))
	eventually.Holds(t, "one problem", problems(1))
	// The new task needs the file's name, so the view moves the foreign file aside.
	if _, err := s.Add(t.Context(), []tasks.Task{{ID: "8", Subject: "eight", Status: tasks.Pending}}); err != nil {
		t.Fatal(err)
	}
	if got := l.take(t, 1)[0]; got.What != taskdir.Damaged || got.Kept != d.path("8.json.damaged") {
		t.Errorf("report is %+v", got)
	}
	restored(t, s, d)
	eventually.Holds(t, "no problem", problems(0))
}

// TestTornWriteIsAwaited writes a file in pieces, as slowly as a busy machine.
func TestTornWriteIsAwaited(t *testing.T) {
	s, d, l := voyage(t)
	task := d.task("1")
	task.Metadata["note"] = "long enough to be written in pieces"
	data, err := json.MarshalIndent(task, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(d.path("1.json"), os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	// Wait for the store's own read: each piece schedules another look.
	for _, piece := range [][]byte{data[:len(data)/2], data[len(data)/2:], []byte("\n}\n}")} {
		if _, err := f.Write(piece); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.Truncate(int64(len(data))); err != nil {
		t.Fatal(err)
	}
	if got := l.take(t, 1)[0]; got.What != taskdir.Edited || fmt.Sprint(got.Fields) != "[metadata.note]" {
		t.Errorf("report is %+v, want one of the whole file", got)
	}
	restored(t, s, d)
}
