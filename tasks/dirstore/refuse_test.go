package dirstore_test

import (
	"errors"
	"os"
	"strings"
	"testing"

	"ocaptain/tasks"
	"ocaptain/tasks/eventually"
)

// TestDiskRefuses lets the disk refuse a claim: no owner holds the task until the disk recovers. A new claim is then
// granted and shown in the directory, and no task is claimed twice.
func TestDiskRefuses(t *testing.T) {
	home := t.TempDir()
	s := openAt(t, home, nil)
	defer func() { _ = s.Close() }()
	if _, err := s.Add(t.Context(), []tasks.Task{{ID: "1", Subject: "one"}, {ID: "2", Subject: "two"}}); err != nil {
		t.Fatal(err)
	}
	s.journal.FlushBy(func(*os.File) error { return errors.New("no space left") })
	shows := func(want string) {
		t.Helper()
		if err := s.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
		raw, err := os.ReadFile(home + "/tasks/1.json")
		if err != nil || !strings.Contains(string(raw), `"status": "`+want+`"`) {
			t.Errorf("want %s: %s, %v", want, raw, err)
		}
	}
	for range 2 {
		if g, err := s.Claim(t.Context(), "ship-0", "1"); err == nil {
			t.Fatalf("granted %+v", g)
		}
		shows("pending")
	}
	s.journal.FlushBy(nil)
	eventually.Succeeds(t, "another one than was refused is granted, which shows both", func() error {
		_, err := s.Claim(t.Context(), "ship-1", "2")
		return err
	})
	shows("in_progress")
	g, err := s.Claim(t.Context(), "ship-0", "1")
	if err != nil || g.Epoch != 1 {
		t.Fatalf("epoch %d, %v", g.Epoch, err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	again := openAt(t, home, nil)
	defer func() { _ = again.Close() }()
	for _, id := range []string{"1", "2"} {
		if got := again.Snapshot().Task(id); got.Status != tasks.InProgress || got.Epoch != 1 {
			t.Errorf("task %s is %s of epoch %d", id, got.Status, got.Epoch)
		}
	}
}
