package hub

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"ocaptain/sync/gitflow/git"
	"ocaptain/sync/gitflow/staging"
)

// TestAttributesOfTheShip: attributes that an agent writes into its tree change no byte of a snapshot and keep no
// file out of it.
func TestAttributesOfTheShip(t *testing.T) {
	c := enlist(t, Options{})
	files := map[string]string{
		"a.enc": "not UTF-16", "b.enc": "\xff\xfe\x00", "c.crlf": "one\r\ntwo\r\n", "d.id": "$Id: mine $\n", "e.big": "x\n",
		"sub/f.enc": "not in a word \x00 of it\n", "ok.txt": "ok\n",
	}
	for name, text := range files {
		put(t, c.ship.dir, name, text)
	}
	look := func(when, attributes string) {
		t.Helper()
		if attributes != "" {
			put(t, c.ship.dir, ".gitattributes", attributes)
		}
		snap, err := c.h.Snapshot(t.Context(), c.ship, "ship-1")
		if err != nil || len(snap.Notes) > 0 {
			t.Fatalf("%s: %q, %v", when, snap.Notes, err)
		}
		for name, text := range files {
			if b, err := c.h.repo.Bytes(t.Context(), nil, "show", snap.Commit+":"+name); err != nil || string(b) != text {
				t.Errorf("%s: %s is %q, %v", when, name, b, err)
			}
		}
	}
	put(t, c.ship.dir, "sub/.gitattributes", "* working-tree-encoding=UTF-32\n")
	put(t, c.ship.dir, ".git/info/attributes", "*.txt working-tree-encoding=UTF-16\n")
	gitOutput(t, c.ship.dir, "config", "filter.evil.clean", "exit 1")
	gitOutput(t, c.ship.dir, "config", "filter.evil.required", "true")
	look("of all kinds", "*.enc working-tree-encoding=UTF-16\n*.crlf text eol=crlf\n*.id ident\n*.big filter=evil\n")
	look("of no encoding", "* working-tree-encoding=nonsense\n")
	look("very many", strings.Repeat("[attr]x filter=evil\n", 50_000)+"* "+strings.Repeat("a", 2000)+"\n")
	put(t, c.ship.dir, ".gitattributes", "* "+strings.Repeat("a", 2100)+"\n") // git refuses to fetch a .gitattributes with a line over 2,047 bytes
	if snap, err := c.h.Snapshot(t.Context(), c.ship, "ship-1"); err != nil || len(snap.Notes) != 1 || !slices.Equal(c.refused(), []string{".gitattributes"}) {
		t.Errorf("a long line: %q, %v", snap.Notes, err)
	}
	name := filepath.Join(c.ship.dir, ".gitattributes")
	if err := errors.Join(os.Remove(name), os.Symlink(".gitattributes", name)); err != nil {
		t.Fatal(err)
	}
	look("in a circle", "")
	if err := c.merge(); err != nil {
		t.Fatal(err)
	}
	if b, err := os.ReadFile(filepath.Join(c.dir, "a.enc")); err != nil || string(b) != files["a.enc"] {
		t.Errorf("%q, %v", b, err)
	}
}

// TestAttributesOfTheBranch: attributes that the branch already has still apply.
func TestAttributesOfTheBranch(t *testing.T) {
	c := enlist(t, Options{})
	put(t, c.dir, ".gitattributes", "*.bat text eol=crlf\n")
	c.checkout()
	put(t, c.ship.dir, "run.bat", "one\r\ntwo\r\n")
	if err := c.merge(); err != nil {
		t.Fatal(err)
	}
	if b, _ := c.h.repo.Bytes(t.Context(), nil, "show", "voyage:run.bat"); string(b) != "one\ntwo\n" {
		t.Errorf("the branch has %q", b)
	}
}

// TestOddFiles: odd files in a tree are merged or named in notes, and do not stop the merge of others.
func TestOddFiles(t *testing.T) {
	c := enlist(t, Options{})
	put(t, c.ship.dir, "empty", "")
	first, err := c.h.Snapshot(t.Context(), c.ship, "ship-1")
	if err != nil || first.Changed != 1 {
		t.Fatalf("%+v, %v", first, err)
	}
	at := func(name string) string { return filepath.Join(c.ship.dir, name) }
	odd := []string{"new\nline", "\xff\xfe", "tab\t\"quoted\"", "-n", " ", "x\\y", "later"}
	for _, name := range odd {
		put(t, c.ship.dir, name, "odd")
	}
	future := time.Now().AddDate(10, 0, 0)
	if err := errors.Join(
		os.Symlink("loop", at("loop")), os.Symlink("/etc/passwd", at("away")), os.Truncate(at("empty"), 1<<40),
		syscall.Mkfifo(at("pipe"), 0o600), os.Chtimes(at("later"), future, future),
	); err != nil {
		t.Fatal(err)
	}
	snap, err := c.h.Snapshot(t.Context(), c.ship, "ship-1")
	if err != nil {
		t.Fatal(err)
	}
	if len(snap.Notes) != 1 || !strings.HasPrefix(snap.Notes[0], "empty has ") {
		t.Errorf("left out: %q", snap.Notes)
	}
	list, err := c.h.repo.Bytes(t.Context(), nil, "ls-tree", "-r", "-z", "--name-only", snap.Commit)
	if err != nil {
		t.Fatal(err)
	}
	names := strings.Split(string(list), "\x00")
	for _, name := range append(odd, "loop", "away") {
		if !slices.Contains(names, name) {
			t.Errorf("%q is missing in %q", name, names)
		}
	}
	put(t, c.ship.dir, "later", "new")
	if err := errors.Join(os.Chtimes(at("later"), future, future), os.Remove(at("empty"))); err != nil {
		t.Fatal(err)
	}
	if err := c.merge(); err != nil {
		t.Fatal(err)
	}
	if got := gitOutput(t, c.dir, "show", "voyage:later"); got != "new" {
		t.Errorf("a file of the future is %q", got)
	}
}

// TestFileTurnsIntoSomethingElse: a file that has become a repository or a directory, or is gone, when it is staged
// leaves no entry in the index.
func TestFileTurnsIntoSomethingElse(t *testing.T) {
	c := enlist(t, Options{})
	made, err := staging.PrivateTree(git.Repo{Dir: c.ship.dir, GitDir: filepath.Join(c.ship.dir, ".git")}, git.Limits{}.WithDefaults(), "sha1")
	if err != nil {
		t.Fatal(err)
	}
	put(t, c.ship.dir, "sub/file", "in a repository by now")
	gitOutput(t, filepath.Join(c.ship.dir, "sub"), "init", "-q")
	gitOutput(t, filepath.Join(c.ship.dir, "sub"), "add", "-A")
	gitOutput(t, filepath.Join(c.ship.dir, "sub"), "commit", "-q", "-m", "x")
	put(t, c.ship.dir, "dir/file", "in a directory by now")
	put(t, c.ship.dir, "ok", "ok")
	if err := os.Symlink("/etc", filepath.Join(c.ship.dir, "etc")); err != nil {
		t.Fatal(err)
	}
	stale := staging.Status{Write: []string{"sub", "dir", "gone", "ok", "etc/passwd"}}
	lefts, again, err := made.Add(t.Context(), &stale)
	if err != nil || !again {
		t.Fatalf("%v, again %v, %v", lefts, again, err)
	}
	if got, err := made.Output(t.Context(), "ls-files"); err != nil || got != "a.txt\nok" {
		t.Errorf("staged %q, %v", got, err)
	}
}

// TestNoRoomInTheTree: when git cannot write objects, staging fails as a whole and does not blame single files. The
// next snapshot has all files.
func TestNoRoomInTheTree(t *testing.T) {
	c := enlist(t, Options{})
	for n := range 200 {
		put(t, c.ship.dir, fmt.Sprintf("f%d", n), fmt.Sprint(n))
	}
	full, err := staging.PrivateTree(git.Repo{Dir: c.ship.dir, GitDir: filepath.Join(c.ship.dir, ".git")}, git.Limits{}.WithDefaults(), "sha1")
	if err != nil {
		t.Fatal(err)
	}
	full.Raw = full.Raw.With("GIT_OBJECT_DIRECTORY=/proc/nowhere") // git can't write there
	if _, _, err := full.Stage(t.Context()); err == nil {
		t.Error("staged")
	}
	if snap, err := c.h.Snapshot(t.Context(), c.ship, "ship-1"); err != nil || snap.Changed != 200 {
		t.Errorf("%+v, %v", snap, err)
	}
}
