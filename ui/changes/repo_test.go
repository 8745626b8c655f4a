package changes

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"ocaptain/fleet"
	"ocaptain/tasks"
)

const branch = "voyage-0123456789ab"

// yard is a voyage with a real workspace.
type yard struct {
	t     *testing.T
	dir   fleet.Dir
	board fleet.Board
}

func newYard(t *testing.T) *yard {
	t.Helper()
	y := &yard{t: t, dir: fleet.Dir(filepath.Join(t.TempDir(), branch))}
	if err := os.MkdirAll(y.dir.Workspace(), 0o755); err != nil {
		t.Fatal(err)
	}
	y.git("init", "-q", "-b", branch)
	y.put("a.txt", "one\n")
	base := y.commit("begin")
	y.board = fleet.Board{
		Voyage: fleet.Voyage{ID: branch, Branch: branch, Base: base},
		Ships:  []fleet.ShipView{{Ship: fleet.Ship{Name: "ship-0"}}, {Ship: fleet.Ship{Name: "ship-1"}}, {Ship: fleet.Ship{Name: "ship-2"}}},
	}
	return y
}

func (y *yard) git(args ...string) string {
	y.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = y.dir.Workspace()
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_DATE=2026-03-14T12:00:00Z",
		"GIT_AUTHOR_NAME=ship-0", "GIT_AUTHOR_EMAIL=a@x", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@x")
	out, err := cmd.CombinedOutput()
	if err != nil {
		y.t.Fatalf("git %v: %v: %s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func (y *yard) put(name, text string) {
	y.t.Helper()
	if err := os.WriteFile(filepath.Join(y.dir.Workspace(), name), []byte(text), 0o644); err != nil {
		y.t.Fatal(err)
	}
}

func (y *yard) commit(message string) string {
	y.t.Helper()
	y.git("add", "-A")
	y.git("commit", "-q", "-m", message)
	return y.git("rev-parse", "HEAD")
}

// merged leaves what the merge of a task leaves: two of the ship's own commits on the task's ref,
// and one commit on the branch.
func (y *yard) merged(id string) tasks.State {
	y.t.Helper()
	start := y.git("rev-parse", "HEAD")
	y.put("b.txt", "x\n")
	y.commit("first step")
	y.put("b.txt", "x\ny\n")
	y.git("update-ref", "refs/ocaptain/tasks/"+id, y.commit("second \x1b[31mstep"))
	y.git("reset", "-q", "--soft", start)
	head := y.commit("Add b\n\nbody\n\nOcaptain-Task: " + id + "\nOcaptain-Ship: ship-0\nOcaptain-Claim: " + id + ".1")
	return tasks.State{Task: tasks.Task{ID: id, Subject: "Add b", Status: tasks.Completed, Owner: "ship-0"}, Commit: head}
}

func TestCommits(t *testing.T) {
	y := newYard(t)
	done := y.merged("1")
	all, more, err := Commits(t.Context(), y.dir, y.board.Voyage, &done)
	if err != nil || more || len(all) != 3 {
		t.Fatalf("%+v, %v, %v", all, more, err)
	}
	if c := all[0]; !c.Merged || c.ID != done.Commit || c.Subject != "Add b" || c.Author != "ship-0" || c.At.IsZero() ||
		len(c.Trailers) != 3 || c.Trailers[0] != [2]string{"Ocaptain-Task", "1"} {
		t.Errorf("merged: %+v", c)
	}
	if all[1].Merged || all[1].Subject != "second step" || all[2].Subject != "first step" {
		t.Errorf("steps: %+v", all[1:])
	}
	for _, s := range []tasks.State{
		{Task: tasks.Task{ID: "2", Status: tasks.Completed}, Empty: true},
		{Task: tasks.Task{ID: "3", Status: tasks.Pending}},
		{Task: tasks.Task{ID: "--all", Status: tasks.InProgress}},
		{Task: tasks.Task{ID: "../live/ship-1", Status: tasks.Pending}},
	} {
		if all, _, err := Commits(t.Context(), y.dir, y.board.Voyage, &s); err != nil || len(all) != 0 {
			t.Errorf("task %s: %+v, %v", s.ID, all, err)
		}
	}
	wrong := tasks.State{Task: tasks.Task{ID: "4", Status: tasks.Completed}, Commit: "--output=/tmp/x"}
	if _, _, err := Commits(t.Context(), y.dir, y.board.Voyage, &wrong); err == nil {
		t.Error("an option was taken for a commit")
	}
}

func TestManyCommits(t *testing.T) {
	y := newYard(t)
	start := y.git("rev-parse", "HEAD")
	for i := range MaxCommits + 3 {
		y.git("commit", "-q", "--allow-empty", "-m", fmt.Sprint("step ", i))
	}
	y.git("update-ref", "refs/ocaptain/tasks/7", "HEAD")
	y.git("reset", "-q", "--hard", start)
	s := tasks.State{Task: tasks.Task{ID: "7", Status: tasks.InProgress}}
	all, more, err := Commits(t.Context(), y.dir, y.board.Voyage, &s)
	if err != nil || !more || len(all) != MaxCommits || all[0].Subject != fmt.Sprint("step ", MaxCommits+2) {
		t.Errorf("%d commits, more %v, %v", len(all), more, err)
	}
}

// lines returns a patch with the kind of each line before it.
func lines(p Patch) string {
	var b strings.Builder
	for _, l := range p.Lines {
		b.WriteString([]string{"note", "head", "meta", "hunk", " ", "+", "-"}[l.Kind] + "|" + l.Text + "\n")
	}
	return b.String()
}

func TestRead(t *testing.T) {
	y := newYard(t)
	// Lines that imitate other lines, escape sequences, tabs, a rename, a binary file and a hostile
	// name.
	y.put("a.txt", "one\n-- dashes\n++ plusses\n\tdiff --git a/x b/x\n\x1b]0;owned\x07red\x1b[31m\nno end")
	y.put("new\x1b[31m.txt", "n\n")
	y.put("pic.png", "\x89PNG\x00\x00")
	y.put("moved.txt", strings.Repeat("same\n", 20))
	first := y.commit("first")
	y.git("mv", "moved.txt", "there.txt")
	y.put("a.txt", "one\n\tdiff --git a/x b/x\nred\nno end\n")
	y.commit("second")
	c := Change{Title: "x\x1b[31m", Base: first, Head: y.git("rev-parse", "HEAD")}
	p, err := c.Read(t.Context(), y.dir)
	if err != nil {
		t.Fatal(err)
	}
	want := `head|diff --git a/a.txt b/a.txt
meta|index OLD..NEW 100644
meta|--- a/a.txt
meta|+++ b/a.txt
hunk|@@ -1,6 +1,4 @@
 | one
-|--- dashes
-|-++ plusses
 |     diff --git a/x b/x
-|-red
-|-no end
note|\ No newline at end of file
+|+red
+|+no end
head|diff --git a/moved.txt b/there.txt
meta|similarity index 100%
meta|rename from moved.txt
meta|rename to there.txt
`
	if got := lines(p); !strings.HasPrefix(p.Lines[1].Text, "index ") || strings.Replace(got, p.Lines[1].Text, "index OLD..NEW 100644", 1) != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
	if len(p.Files) != 2 || p.Files[0] != (Place{File{"a.txt", 2, 4}, 0}) || p.Files[1] != (Place{File{"there.txt", 0, 0}, 14}) {
		t.Errorf("files: %+v", p.Files)
	}
	if p.Title != "x" || p.Added != 2 || p.Removed != 4 || p.Left != "" {
		t.Errorf("%q, +%d −%d, %q", p.Title, p.Added, p.Removed, p.Left)
	}
	all, err := OfVoyage(t.Context(), y.dir, y.board.Voyage)
	if err != nil {
		t.Fatal(err)
	}
	p, err = all.Read(t.Context(), y.dir)
	if err != nil || len(p.Files) != 4 || p.Files[1].Path != "new.txt" || p.Files[2].Added != -1 {
		t.Errorf("%+v, %v", p.Files, err)
	}
	for _, l := range p.Lines {
		if strings.ContainsAny(l.Text, "\x1b\x07\t\r") {
			t.Errorf("not clean: %q", l.Text)
		}
	}
}

// A patch is bounded in lines, bytes and files, and says what is missing.
func TestReadIsBounded(t *testing.T) {
	y := newYard(t)
	y.put("many.txt", strings.Repeat("x\n", MaxLines+500))
	y.put("zlast.txt", "z\n")
	many := y.commit("many")
	y.put("long.txt", strings.Repeat(strings.Repeat("y", 5000)+"\n", 1200))
	long := y.commit("long")
	for name, c := range map[string]Change{"lines": {Title: "x", Base: many + "^", Head: many}, "bytes": {Title: "x", Base: long + "^", Head: long}} {
		p, err := c.Read(t.Context(), y.dir)
		if err != nil || p.Left == "" || len(p.Lines) > MaxLines {
			t.Errorf("%s: %d lines, %q, %v", name, len(p.Lines), p.Left, err)
		}
		size := 0
		for _, l := range p.Lines {
			size += len(l.Text)
		}
		if size > MaxBytes {
			t.Errorf("%s: %d bytes", name, size)
		}
		if name == "lines" && (p.Files[1].Line != -1 || !strings.HasPrefix(p.Left, "the rest is left out: 507 changed lines and 1 whole file")) {
			t.Errorf("%+v, %q", p.Files, p.Left)
		}
	}
}

func TestFind(t *testing.T) {
	y := newYard(t)
	done := y.merged("1")
	y.put("c.txt", "c\n")
	y.git("update-ref", "refs/ocaptain/base/ship-1", done.Commit)
	y.git("update-ref", "refs/ocaptain/live/ship-1", y.commit("live"))
	y.git("reset", "-q", "--hard", done.Commit)
	// The work of ship-0 was merged as one commit, and the branch lacks the ship's own commits.
	y.git("update-ref", "refs/ocaptain/base/ship-0", y.board.Voyage.Base)
	y.git("update-ref", "refs/ocaptain/live/ship-0", "refs/ocaptain/tasks/1")
	y.git("update-ref", "refs/ocaptain/home/ship-0", "refs/ocaptain/tasks/1")
	handIn := y.git("commit-tree", "refs/ocaptain/live/ship-1^{tree}", "-p", y.board.Voyage.Base, "-m", "handed in")
	y.git("update-ref", "refs/ocaptain/reviews/4/work", handIn)
	inReview := func(id, commit string) tasks.State {
		return tasks.State{Task: tasks.Task{ID: id, Status: tasks.Pending}, HandIn: &tasks.HandIn{Owner: "ship-2\x1b[2J", Commit: commit}}
	}
	y.board.Tasks = []tasks.State{done, inReview("4", handIn), inReview("5", "--output=x"), {Task: tasks.Task{ID: "3", Status: tasks.InProgress, Owner: "ship-1"}}}
	for name, want := range map[string]string{"": "b.txt", "1": "b.txt", "ship-1": "c.txt", "ship-0": "", "4": "b.txt c.txt"} {
		c, err := Find(t.Context(), y.dir, y.board, name)
		if err != nil {
			t.Fatalf("%q: %v", name, err)
		}
		p, err := c.Read(t.Context(), y.dir)
		if err != nil || c.IsEmpty() != (want == "") || want != strings.Join(paths(p), " ") {
			t.Errorf("%q: %+v, %v", name, p.Files, err)
		}
	}
	for name, advice := range map[string]string{"3": "ocaptain diff ship-1", "ship-2": "", "ship-9": "ocaptain status", "--help": "ocaptain status"} {
		_, err := Find(t.Context(), y.dir, y.board, name)
		var none *NotFound
		if !errors.As(err, &none) || !strings.Contains(none.Advice, advice) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if c, err := Find(t.Context(), y.dir, y.board, "4"); err != nil || c.Title != "task 4 by ship-2, in review, not merged yet" {
		t.Errorf("%q, %v", c.Title, err)
	}
	if c, err := Find(t.Context(), y.dir, y.board, "5"); err == nil {
		t.Errorf("an option was taken for a commit: %+v", c)
	}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Find(over, y.dir, y.board, ""); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func paths(p Patch) (all []string) {
	for _, f := range p.Files {
		all = append(all, f.Path)
	}
	return all
}

// Messages of an agent's commits may have any length. Reading many of them takes little memory.
func TestLargeCommits(t *testing.T) {
	y := newYard(t)
	start, tree := y.git("rev-parse", "HEAD"), y.git("rev-parse", "HEAD^{tree}")
	message := filepath.Join(t.TempDir(), "message")
	words := strings.Repeat("word ", 1<<20)
	if err := os.WriteFile(message, []byte("step\n\nbody\n\nKey: "+words+"\nOther: "+words+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	tip := start
	for range 8 {
		tip = y.git("commit-tree", "-p", tip, "-F", message, tree)
	}
	y.git("update-ref", "refs/ocaptain/tasks/7", tip)
	s := tasks.State{Task: tasks.Task{ID: "7", Status: tasks.InProgress}}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	all, more, err := Commits(t.Context(), y.dir, y.board.Voyage, &s)
	runtime.ReadMemStats(&after)
	if err != nil || !more || len(all) == 0 || all[0].Subject != "step" {
		t.Fatalf("%d commits, more %v, %v", len(all), more, err)
	}
	if took := after.TotalAlloc - before.TotalAlloc; took > 8<<20 {
		t.Errorf("it took %d MB", took>>20)
	}
}
