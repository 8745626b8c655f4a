package dirstore_test

import (
	"errors"
	"os"
	"strings"
	"testing"

	"ocaptain/tasks"
	"ocaptain/tasks/eventually"
)

// A claim that the disk refused is nobody's until the disk has it; then asking again gives it, as the
// directory shows, and nothing is claimed twice.
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

// A claim on a condition is judged by the task as it is when it is claimed, and a condition that does not hold changes nothing.
func TestClaimIf(t *testing.T) {
	s := openAt(t, t.TempDir(), nil)
	defer func() { _ = s.Close() }()
	if _, err := s.Add(t.Context(), []tasks.Task{{ID: "1", Subject: "one"}}); err != nil {
		t.Fatal(err)
	}
	no := errors.New("it is in review")
	notInReview := func(t *tasks.State) error {
		if t.InReview() {
			return no
		}
		return nil
	}
	g, err := s.ClaimIf(t.Context(), "ship-0", "1", notInReview)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.HandIn(t.Context(), tasks.Completion{Task: "1", Owner: "ship-0", Epoch: g.Epoch, Commit: "abc"}, "done"); err != nil {
		t.Fatal(err)
	}
	before := s.Snapshot()
	for _, id := range []string{"1", ""} {
		if g, err := s.ClaimIf(t.Context(), "ship-1", id, notInReview); !errors.Is(err, no) {
			t.Errorf("task %q: %+v, %v", id, g, err)
		}
	}
	if after := s.Snapshot(); after.Seq != before.Seq || after.Task("1").Status != tasks.Pending {
		t.Errorf("it became %+v", after.Task("1"))
	}
}
