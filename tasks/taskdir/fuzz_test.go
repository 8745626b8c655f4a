package taskdir

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ocaptain/tasks"
)

// FuzzParse checks that Parse either refuses a file, or returns a task whose file would be equal.
func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"id":"1","subject":"s","description":"d","status":"pending","blocks":[],"blockedBy":["2"],"metadata":{"a":{"b":[1,null]}}}`))
	f.Add([]byte(`{"id":"1","subject":"s","description":"d","owner":"","status":"completed","blocks":[],"blockedBy":[]}` + "\n}"))
	f.Add([]byte(`{"id":"1","ID":"2","subject":"s","description":"d","owner":null,"status":"completed","blocks":[],"blockedBy":[],"x":1}`))
	f.Add([]byte("null"))
	f.Fuzz(func(t *testing.T, data []byte) {
		found, err := Parse(data)
		if err != nil {
			return
		}
		if !found.Status.IsValid() || found.Blocks == nil || found.BlockedBy == nil {
			t.Fatalf("let in %+v", found)
		}
		ours, err := render(signed(found))
		if err != nil {
			t.Fatal(err)
		}
		again, err := Parse(ours)
		if err != nil {
			t.Fatalf("cannot read what was written for %q: %v\n%s", data, err, ours)
		}
		if d := differences(found, again); len(d) > 0 || SignatureOf(again) != SignedAs(again) {
			t.Fatalf("%q became %s: %v", data, ours, d)
		}
	})
}

// FuzzJudge puts any bytes in place of a task. The store's task must not change without a report,
// and the view must write the right file.
func FuzzJudge(f *testing.F) {
	task := tasks.Task{ID: "1", Subject: "s", Description: "d", Status: tasks.Pending, Metadata: map[string]any{"verify": "make"}}
	should, err := render(signed(task))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(should)
	f.Add(should[:40])
	f.Add(append(bytes.Clone(should), "\n}"...))
	f.Add(bytes.Replace(should, []byte("pending"), []byte("completed"), 1))
	f.Add(bytes.Replace(should, []byte(`"verify"`), []byte(`"x": 1, "verify"`), 1))
	f.Fuzz(func(t *testing.T, data []byte) {
		w := &wanted{task: signed(task), present: true}
		v := w.judgeFile(time.Now(), data, nil)
		found, err := Parse(data)
		switch {
		case err != nil && (!v.write || !v.aside || len(v.tamper) != 1):
			t.Fatalf("%q is unreadable, but %+v", data, v)
		case err == nil && len(differences(task, found)) > 0 && !v.write:
			t.Fatalf("%q differs, but %+v", data, v)
		case err == nil && found.Verify() != "make" && !v.write:
			t.Fatalf("%q has another check, but %+v", data, v)
		}
	})
}

// FuzzView puts any bytes at a task file, or at another name, in a real directory.
func FuzzView(f *testing.F) {
	f.Add("1.json", []byte("{"))
	f.Add("2.json", []byte(`{"id":"2","subject":"s","description":"d","status":"pending","blocks":[],"blockedBy":[]}`))
	f.Add(".highwatermark", []byte("99999999999999999999"))
	f.Add("keep.json", []byte(""))
	f.Fuzz(func(t *testing.T, name string, data []byte) {
		if name != filepath.Base(name) || name == "." || name == ".." || strings.HasSuffix(name, ".lock") {
			return // the view waits for a lock
		}
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			return // not a file name
		}
		v, err := OpenView(dir, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer v.Close()
		task := tasks.Task{ID: "1", Subject: "s", Status: tasks.Pending}
		v.Set([]tasks.Task{task})
		if err := v.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
		content, err := Read(filepath.Join(dir, "1.json"))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := Parse(content); err != nil || len(differences(got, task)) > 0 {
			t.Fatalf("1.json holds %q: %v", content, err)
		}
		if _, err := os.Stat(filepath.Join(dir, "keep.json")); errors.Is(err, os.ErrNotExist) {
			t.Fatal("no sentinel")
		}
	})
}
