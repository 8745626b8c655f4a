package take

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"ocaptain/fleet"
	"ocaptain/tasks"
)

func run(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=c", "-c", "user.email=c@c", "-C", dir}, args...)...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// harbor returns a captain's checkout, and a voyage that began there and has completed two of three tasks.
func harbor(t *testing.T) (checkout string, d fleet.Dir, b *fleet.Board) {
	t.Helper()
	home := t.TempDir()
	t.Setenv("HOME", home)
	checkout, d = filepath.Join(home, "mine"), fleet.Dir(filepath.Join(home, "voyage-1"))
	if err := os.MkdirAll(checkout, 0o755); err != nil {
		t.Fatal(err)
	}
	run(t, checkout, "init", "-q", "-b", "main")
	run(t, checkout, "config", "user.name", "captain")
	run(t, checkout, "config", "user.email", "captain@example.org")
	write(t, checkout, "a", "1\n")
	run(t, checkout, "add", ".")
	run(t, checkout, "commit", "-qm", "begin")
	base := run(t, checkout, "rev-parse", "HEAD")
	run(t, home, "clone", "-q", checkout, d.Workspace())
	run(t, d.Workspace(), "checkout", "-qb", "voyage-1")
	commit := func(name, text string) string {
		write(t, d.Workspace(), name, text)
		run(t, d.Workspace(), "add", ".")
		run(t, d.Workspace(), "commit", "-qm", name)
		return run(t, d.Workspace(), "rev-parse", "HEAD")
	}
	one, two := commit("one", "1"), commit("a", "2\n")
	b = &fleet.Board{Voyage: fleet.Voyage{ID: "voyage-1", Kind: fleet.Plan, Branch: "voyage-1", Base: base}, Tasks: []tasks.State{
		{Task: tasks.Task{ID: "1", Subject: "One", Status: tasks.Completed}, Commit: one},
		{Task: tasks.Task{ID: "2", Subject: "Two", Status: tasks.Completed}, Commit: two},
		{Task: tasks.Task{ID: "3", Subject: "Three", Status: tasks.Pending}},
	}}
	return checkout, d, b
}

func find(t *testing.T, d fleet.Dir, b *fleet.Board, id string) Work {
	t.Helper()
	w, err := Find(t.Context(), d, b, id)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// undo runs an Undo command as the captain would.
func undo(t *testing.T, dir, command string) {
	t.Helper()
	run(t, dir, strings.Fields(command)[1:]...)
}

// A branch is made, moved forward when there is more, and never overwritten; each Undo command works.
func TestBranch(t *testing.T) {
	checkout, d, b := harbor(t)
	one, all := find(t, d, b, "1"), find(t, d, b, "")
	if all.Open != 1 || one.Branch != "voyage-1-task-1" {
		t.Errorf("%+v, %+v", all, one)
	}
	sub := filepath.Join(checkout, "sub")
	if err := os.Mkdir(sub, 0o755); err != nil {
		t.Fatal(err)
	}
	got, err := Into(t.Context(), sub, one, "voyage-1", false)
	if err != nil || got.Dir != checkout || run(t, checkout, "rev-parse", "voyage-1") != one.Commit {
		t.Fatalf("%+v, %v", got, err)
	}
	undo(t, checkout, got.Undo)
	if _, err := Into(t.Context(), checkout, one, "voyage-1", false); err != nil {
		t.Fatal(err)
	}
	got, err = Into(t.Context(), checkout, all, "", false)
	if err != nil || run(t, checkout, "rev-parse", "voyage-1") != all.Commit || !strings.Contains(strings.Join(got.Lines(all), "\n"), "not done yet: 1") {
		t.Fatalf("%+v, %v", got, err)
	}
	if again, err := Into(t.Context(), checkout, all, "", false); err != nil || again.Undo != "" {
		t.Errorf("%+v, %v", again, err)
	}
	undo(t, checkout, got.Undo)
	if is := run(t, checkout, "rev-parse", "voyage-1"); is != one.Commit {
		t.Errorf("undone, it is at %s", is)
	}
	run(t, checkout, "branch", "other", "HEAD")
	run(t, checkout, "checkout", "-q", "other")
	write(t, checkout, "mine", "x")
	run(t, checkout, "add", ".")
	run(t, checkout, "commit", "-qm", "mine")
	run(t, checkout, "checkout", "-q", "main")
	for name, why := range map[string]string{"other": "another branch other", "main": "is checked out", "a..b": "cannot be called", "-x": "cannot be called", "@{-1}": "cannot be called"} {
		var no *Refused
		before := run(t, checkout, "for-each-ref")
		if _, err := Into(t.Context(), checkout, all, name, false); !errors.As(err, &no) || !strings.Contains(no.Why, why) || run(t, checkout, "for-each-ref") != before {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A merge is the captain's own; if it fails, nothing changes.
func TestMerge(t *testing.T) {
	checkout, d, b := harbor(t)
	all := find(t, d, b, "")
	was := run(t, checkout, "rev-parse", "HEAD")
	refused := func(why string) {
		t.Helper()
		before := run(t, checkout, "status", "--porcelain") + run(t, checkout, "rev-parse", "HEAD")
		var no *Refused
		if _, err := Into(t.Context(), checkout, all, "", true); !errors.As(err, &no) || !strings.Contains(no.Why, why) {
			t.Errorf("%s: %v", why, err)
		}
		if run(t, checkout, "status", "--porcelain")+run(t, checkout, "rev-parse", "HEAD") != before {
			t.Errorf("%s: something changed", why)
		}
	}
	write(t, checkout, "a", "mine\n")
	refused("not committed")
	run(t, checkout, "commit", "-qam", "mine")
	refused("conflicts with main in a")
	run(t, checkout, "reset", "-q", "--hard", was)
	write(t, checkout, "one", "in the way")
	if _, err := Into(t.Context(), checkout, all, "", true); err == nil || run(t, checkout, "rev-parse", "HEAD") != was {
		t.Errorf("over a file that is in the way: %v", err)
	}
	if err := os.Remove(filepath.Join(checkout, "one")); err != nil {
		t.Fatal(err)
	}
	write(t, checkout, "untracked", "x")
	got, err := Into(t.Context(), checkout, all, "", true)
	if err != nil || !got.Merged || got.Branch != "main" || run(t, checkout, "log", "-1", "--format=%an %s %p") == "" || run(t, checkout, "rev-parse", "HEAD^2") != all.Commit {
		t.Fatalf("%+v, %v", got, err)
	}
	if again, err := Into(t.Context(), checkout, all, "", true); err != nil || again.Undo != "" {
		t.Errorf("once more: %+v, %v", again, err)
	}
	undo(t, checkout, got.Undo)
	if is := run(t, checkout, "rev-parse", "HEAD"); is != was {
		t.Errorf("undone, it is at %s", is)
	}
	run(t, checkout, "checkout", "-q", "--detach")
	refused("no branch is checked out")
}

// Work that is unfinished, missing or of another repository is refused.
func TestRefuses(t *testing.T) {
	checkout, d, b := harbor(t)
	for id, why := range map[string]string{"3": "not completed", "9": "no task 9"} {
		if _, err := Find(t.Context(), d, b, id); err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%s: %v", id, err)
		}
	}
	all := find(t, d, b, "")
	if _, err := Into(t.Context(), t.TempDir(), all, "", false); err == nil || !strings.Contains(err.Error(), "no checkout") {
		t.Error(err)
	}
	stranger := t.TempDir()
	run(t, stranger, "init", "-q")
	if _, err := Into(t.Context(), stranger, all, "", false); err == nil || !strings.Contains(err.Error(), "lacks the commit") {
		t.Error(err)
	}
	b.Voyage.Base = ""
	if _, err := Into(t.Context(), checkout, find(t, d, b, ""), "", false); err == nil {
		t.Error("a voyage without a repository was taken")
	}
}
