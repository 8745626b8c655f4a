package dirstore_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"ocaptain/tasks/taskdir"

	"ocaptain/tasks"
	"ocaptain/tasks/dirstore"
	"ocaptain/tasks/eventually"
)

// directory is a task directory as other programs see it.
type directory struct {
	t   testing.TB
	dir string
}

func (d directory) path(name string) string { return filepath.Join(d.dir, name) }

func (d directory) text(name string) string {
	data, err := os.ReadFile(d.path(name))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		d.t.Fatal(err)
	}
	return string(data)
}

// task reads a task file; the id is "" when the file is unreadable.
func (d directory) task(id string) (task tasks.Task) {
	_ = json.Unmarshal([]byte(d.text(id+".json")), &task)
	return task
}

// put writes a file as Claude Code does: in place, then cut to length.
func (d directory) put(name, content string) {
	d.t.Helper()
	f, err := os.OpenFile(d.path(name), os.O_WRONLY|os.O_CREATE, 0o644)
	if err != nil {
		d.t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteString(content); err != nil {
		d.t.Fatal(err)
	}
	if err := f.Truncate(int64(len(content))); err != nil {
		d.t.Fatal(err)
	}
}

// must ends the test if a step of its setup fails.
func (d directory) must(err error) {
	d.t.Helper()
	if err != nil {
		d.t.Fatal(err)
	}
}

// lock waits for the lock of a task and returns its unlock.
func (d directory) lock(id string) (unlock func()) {
	d.t.Helper()
	path := d.path(id + ".json.lock")
	eventually.Holds(d.t, "lock of "+id, func() bool { return os.Mkdir(path, 0o755) == nil })
	return func() { os.Remove(path) }
}

// edit changes a task in its file, under its lock, as an agent's tool does.
func (d directory) edit(id string, change func(t *tasks.Task)) {
	d.t.Helper()
	defer d.lock(id)()
	task := d.task(id)
	change(&task)
	data, err := json.MarshalIndent(task, "", "  ")
	if err != nil {
		d.t.Fatal(err)
	}
	d.put(id+".json", string(data))
}

// names lists the directory, hidden files too.
func (d directory) names() (names []string) {
	entries, err := os.ReadDir(d.dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		d.t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// shows returns "" if the files show exactly the tasks of the store, else the difference.
func (d directory) shows(s tasks.Store) string {
	for _, want := range s.Snapshot().Tasks {
		got := d.task(want.ID)
		delete(got.Metadata, tasks.Reserved)
		a, _ := json.Marshal(got)
		b, _ := json.Marshal(want.Task)
		if string(a) != string(b) {
			return fmt.Sprintf("file of task %s holds %s, want %s", want.ID, a, b)
		}
	}
	return ""
}

// log collects the reports of a store.
type log struct {
	mu  sync.Mutex
	all []taskdir.Tamper
}

func (l *log) report(all []taskdir.Tamper) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = append(l.all, all...)
}

// take waits for n reports and returns them in the order of ids, with only what tests compare.
func (l *log) take(t testing.TB, n int) (all []taskdir.Tamper) {
	t.Helper()
	eventually.Holds(t, fmt.Sprint(n, " reports"), func() bool {
		l.mu.Lock()
		defer l.mu.Unlock()
		return len(l.all) >= n
	})
	l.mu.Lock()
	defer l.mu.Unlock()
	all, l.all = l.all, nil
	slices.SortStableFunc(all, func(a, b taskdir.Tamper) int { return tasks.CompareIDs(a.Task, b.Task) })
	if len(all) != n {
		t.Errorf("reports %+v, want %d", all, n)
	}
	return all
}

// voyage opens a store with tasks 1, 2 ← 1, 3 and returns its flushed directory too.
func voyage(t testing.TB) (closing, directory, *log) {
	t.Helper()
	home := t.TempDir()
	l := &log{}
	s := openAt(t, home, l.report)
	t.Cleanup(func() { s.Close() })
	if _, err := s.Add(t.Context(), []tasks.Task{
		{ID: "1", Subject: "one", Description: "first", Status: tasks.Pending, Metadata: map[string]any{"verify": "make", "colour": "red"}},
		{ID: "2", Subject: "two", ActiveForm: "doing two", Status: tasks.Pending, BlockedBy: []string{"1"}},
		{ID: "3", Subject: "three", Status: tasks.Pending},
	}); err != nil {
		t.Fatal(err)
	}
	flush(t, s)
	return s, directory{t, filepath.Join(home, "tasks")}, l
}

func flush(t testing.TB, s closing) {
	t.Helper()
	if err := s.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// TestFiles checks the bytes that Claude Code reads.
func TestFiles(t *testing.T) {
	s, d, _ := voyage(t)
	g, err := s.Claim(t.Context(), "ship-1", "1")
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Complete(t.Context(), tasks.Completion{Task: "1", Owner: "ship-1", Epoch: g.Epoch, Commit: "c0ffee"}); err != nil {
		t.Fatal(err)
	}
	flush(t, s)
	mark, _ := d.task("1").Metadata[tasks.Reserved].(map[string]any)["mark"].(string)
	want := `{
  "id": "1",
  "subject": "one",
  "description": "first",
  "owner": "ship-1",
  "status": "completed",
  "blocks": [
    "2"
  ],
  "blockedBy": [],
  "metadata": {
    "colour": "red",
    "ocaptain": {
      "commit": "c0ffee",
      "epoch": 1,
      "mark": "` + mark + `"
    },
    "verify": "make"
  }
}`
	if got := d.text("1.json"); got != want {
		t.Errorf("1.json is\n%s\nwant\n%s", got, want)
	}
	if keep := d.task(tasks.Sentinel); keep.Status != tasks.Pending || keep.Metadata["_internal"] != true {
		t.Errorf("the sentinel is %+v", keep)
	}
	eventually.Holds(t, "high-water mark", func() bool { return d.text(".highwatermark") == "3" })
	eventually.Holds(t, "nothing else left there", func() bool {
		return reflect.DeepEqual(d.names(), []string{".highwatermark", "1.json", "2.json", "3.json", "keep.json"})
	})
	info, err := os.Stat(d.path("1.json"))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode is %v (%v)", info.Mode(), err)
	}
}

func TestSecondOpenerIsRefused(t *testing.T) {
	home := t.TempDir()
	s := openAt(t, home, nil)
	defer s.Close()
	if other, err := dirstore.Open(filepath.Join(home, "tasks"), s.journal, nil); err == nil {
		other.Close()
		t.Fatal("two stores share a directory")
	} else if !strings.Contains(err.Error(), "in use") {
		t.Errorf("error is %q", err)
	}
}
