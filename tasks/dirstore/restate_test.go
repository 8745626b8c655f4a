package dirstore_test

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"ocaptain/tasks/reconcile"

	"ocaptain/tasks"
	"ocaptain/tasks/dirstore"
	"ocaptain/tasks/journal"
)

// A complete restatement replaces all records before it, and later records continue from it.
func TestRestate(t *testing.T) {
	home := t.TempDir()
	path := filepath.Join(home, "events.jsonl")
	live(t, home, 60, rand.New(rand.NewPCG(1, 2)))
	s := openAt(t, home, nil)
	if _, err := s.Add(t.Context(), []tasks.Task{{ID: "kept", Subject: "kept", Status: tasks.Pending}}); err != nil {
		t.Fatal(err)
	}
	if err := s.Reserve(t.Context(), "kept", "ship-9"); err != nil {
		t.Fatal(err)
	}
	if err := s.Edit(t.Context(), tasks.Edit{Task: "kept", Subject: "kept well", BlockedBy: []string{s.Snapshot().Tasks[0].ID}}); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	want := stateOf(t, s)
	if err := s.Restate(); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	after, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	restated := after[len(before):]
	load := func(name string, raw []byte) {
		t.Helper()
		file := filepath.Join(t.TempDir(), "events.jsonl")
		if err := os.WriteFile(file, raw, 0o600); err != nil {
			t.Fatal(err)
		}
		if got := loaded(t, file); got != want {
			t.Fatalf("%s: got %s\nwant %s", name, got, want)
		}
	}
	load("after all", after)
	load("alone", restated)
	load("after damage", append(bytes.Repeat([]byte("{damage\n"), 3), restated...))
	for at := 0; at <= len(restated); at += 97 {
		load("cut", append(bytes.Clone(before), restated[:at]...))
	}

	// Records after an unfinished restatement count.
	lines := bytes.SplitAfter(restated, []byte("\n"))
	if err := os.WriteFile(path, append(bytes.Clone(before), bytes.Join(lines[:len(lines)-2], nil)...), 0o600); err != nil {
		t.Fatal(err)
	}
	s = openAt(t, home, nil)
	if _, err := s.Add(t.Context(), []tasks.Task{{ID: "late", Subject: "late", Status: tasks.Pending}}); err != nil {
		t.Fatal(err)
	}
	want = stateOf(t, s)
	s.Close()
	if got := loaded(t, path); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}

// A store without its journal recovers everything from the files, and grants no epoch twice.
func TestOpenMended(t *testing.T) {
	home := t.TempDir()
	live(t, home, 60, rand.New(rand.NewPCG(3, 4)))
	s := openAt(t, home, nil)
	var want []string
	top := uint64(0)
	for _, task := range s.Snapshot().Tasks {
		want = append(want, task.ID)
		top = max(top, task.Epoch)
	}
	s.Close()
	if err := os.Remove(filepath.Join(home, "events.jsonl")); err != nil {
		t.Fatal(err)
	}
	j, err := journal.Open(filepath.Join(home, "events.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	mended, err := dirstore.OpenMended(filepath.Join(home, "tasks"), j, nil, func(known []*tasks.State, files map[string]tasks.State, damaged bool) (reconcile.Mend, error) {
		if len(known) > 0 || damaged || len(files) != len(want) {
			t.Errorf("known are %d, %d files, damaged: %v", len(known), len(files), damaged)
		}
		return reconcile.Tasks(known, reconcile.Evidence{Views: []map[string]tasks.State{files}, Has: func(string) bool { return true }}), nil
	})
	if err != nil {
		t.Fatal(err)
	}
	defer mended.Close()
	if got := mended.Snapshot().Tasks; len(got) != len(want) {
		t.Errorf("%d tasks, want %d", len(got), len(want))
	}
	g, err := mended.Claim(t.Context(), "ship-0", "")
	if err != nil || g.Epoch <= top {
		t.Errorf("granted %d after %d, %v", g.Epoch, top, err)
	}
}
