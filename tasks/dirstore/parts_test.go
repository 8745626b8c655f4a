package dirstore

import (
	"path/filepath"
	"testing"

	"ocaptain/tasks"
	"ocaptain/tasks/journal"
)

// If tasks wait for their parts, the store refuses a part that waits for its parent. Otherwise a parent implies no order. A store
// accepts whatever the journal holds.
func TestWaitForParts(t *testing.T) {
	task := func(id, parent string, waits ...string) tasks.Task {
		t := tasks.Task{ID: id, Subject: id, Status: tasks.Pending, BlockedBy: waits}
		if parent != "" {
			t.Metadata = map[string]any{"parent": parent}
		}
		return t
	}
	for name, batch := range map[string][]tasks.Task{
		"a part that waits for its whole":              {task("3", ""), task("4", "3", "3")},
		"parts that wait for each other's wholes":      {task("3", ""), task("4", ""), task("5", "3", "4"), task("6", "4", "3")},
		"a part of a part that waits for the whole":    {task("3", ""), task("4", "3"), task("5", "4", "3")},
		"a part of what others wait for, among them":   {task("3", "1", "2")},
		"a part of what was there, which waits for it": {task("3", "1", "1")},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			open := func() (*Store, *journal.Journal) {
				j, err := journal.Open(filepath.Join(dir, "events.jsonl"))
				if err != nil {
					t.Fatal(err)
				}
				s, err := Open(filepath.Join(dir, "tasks"), j, nil)
				if err != nil {
					t.Fatal(err)
				}
				return s, j
			}
			s, j := open()
			if _, err := s.Add(t.Context(), []tasks.Task{task("1", ""), task("2", "", "1")}); err != nil {
				t.Fatal(err)
			}
			s.WaitForParts()
			if _, err := s.Add(t.Context(), batch); err == nil {
				t.Error("it is added")
			}
			s.ledger.Wholes = false
			if _, err := s.Add(t.Context(), batch); err != nil {
				t.Error(err)
			}
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			_ = j.Close()
			s, j = open()
			defer j.Close()
			defer s.Close()
			if n := len(s.Snapshot().Tasks); n != 2+len(batch) {
				t.Errorf("%d tasks are there", n)
			}
		})
	}
}
