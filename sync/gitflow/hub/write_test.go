package hub

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"ocaptain/sync"
)

const issues = ".beads/issues.jsonl"

// append returns a change that adds a line.
func appended(line string) func([]byte) ([]byte, error) {
	return func(was []byte) ([]byte, error) { return append(was, line+"\n"...), nil }
}

// TestWrite writes a file beside the captain, whose edits of it come first.
func TestWrite(t *testing.T) {
	c := enlist(t, Options{})
	order := sync.Merge{Subject: "issues", Author: "E <e@e>"}
	write := func(line string) sync.Merged {
		t.Helper()
		m, err := c.h.Write(t.Context(), issues, order, appended(line))
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	if m := write("one"); m.Changed != 1 || gitOutput(t, c.dir, "show", "--format=", "--name-only", m.Commit) != issues {
		t.Errorf("%+v", m)
	}
	put(t, c.dir, issues, "one\ncaptain's\n")
	put(t, c.dir, "other.txt", "edited")
	m := write("two")
	content(t, c.dir, issues, "one\ncaptain's\ntwo\n")
	if gitOutput(t, c.dir, "log", "-1", "--format=%s", m.Commit+"^") != "captain: edits in workspace" || gitOutput(t, c.dir, "status", "--porcelain") != "" {
		t.Error(gitOutput(t, c.dir, "log", "--oneline"))
	}
	again, err := c.h.Write(t.Context(), issues, order, func(was []byte) ([]byte, error) { return was, nil })
	if err != nil || again.Changed != 0 || again.Commit != m.Commit {
		t.Errorf("%+v, %v", again, err)
	}
	if b, err := c.h.File(t.Context(), m.Commit, issues); err != nil || string(b) != "one\ncaptain's\ntwo\n" {
		t.Errorf("%q, %v", b, err)
	}
	if b, err := c.h.File(t.Context(), m.Commit, "none"); err != nil || b != nil {
		t.Errorf("%q, %v", b, err)
	}
	for dir, want := range map[string]string{"": ".beads", ".beads": "issues.jsonl"} {
		if names, err := c.h.Names(t.Context(), m.Commit, dir); err != nil || !slices.Contains(names, want) {
			t.Errorf("%q has %q, %v", dir, names, err)
		}
	}
	bad := errors.New("bad")
	if _, err := c.h.Write(t.Context(), issues, order, func([]byte) ([]byte, error) { return nil, bad }); !errors.Is(err, bad) {
		t.Error(err)
	}
}

// TestWriteNoPlace leaves alone what stands in the place of a file.
func TestWriteNoPlace(t *testing.T) {
	for name, make := range map[string]func(dir string) error{
		"a link": func(dir string) error { return os.Symlink("../a.txt", filepath.Join(dir, issues)) },
		"a linked place": func(dir string) error {
			return errors.Join(os.Remove(filepath.Join(dir, ".beads")), os.Symlink(".", filepath.Join(dir, ".beads")))
		},
		"a file": func(dir string) error {
			return errors.Join(os.Remove(filepath.Join(dir, ".beads")), os.WriteFile(filepath.Join(dir, ".beads"), nil, 0o600))
		},
	} {
		c := enlist(t, Options{})
		if err := errors.Join(os.Mkdir(filepath.Join(c.dir, ".beads"), 0o755), make(c.dir)); err != nil {
			t.Fatal(err)
		}
		var no *sync.NotAdded
		if m, err := c.h.Write(t.Context(), issues, sync.Merge{Subject: "issues", Author: "E <e@e>"}, appended("x")); !errors.As(err, &no) {
			t.Errorf("%s: %+v, %v", name, m, err)
		}
	}
}

// TestWriteKilled kills git at each moment of writing. The same call then writes once.
func TestWriteKilled(t *testing.T) {
	c := enlist(t, Options{})
	kill := c.killer(t)
	order := sync.Merge{Subject: "issues", Author: "E <e@e>"}
	for n := 1; ; n += stride {
		head := gitOutput(t, c.dir, "rev-parse", "voyage")
		line := fmt.Sprint("line ", n)
		once := func([]byte) ([]byte, error) { return []byte(line + "\n"), nil }
		kill(fmt.Sprint(n))
		_, err := c.h.Write(t.Context(), issues, order, once)
		kill("")
		if err == nil {
			t.Logf("%d moments", n-1)
			break
		}
		if n >= 80 {
			t.Fatal(err)
		}
		c.reopen()
		m, err := c.h.Write(t.Context(), issues, order, once)
		if err != nil || gitOutput(t, c.dir, "rev-list", head+"..voyage") != m.Commit {
			t.Fatalf("moment %d: %+v, %v", n, m, err)
		}
		content(t, c.dir, issues, line+"\n")
		if dirt := gitOutput(t, c.dir, "status", "--porcelain"); dirt != "" {
			t.Fatalf("moment %d: %s", n, dirt)
		}
	}
}

// TestExcept merges work without what it changed in a file of the hub's.
func TestExcept(t *testing.T) {
	c := enlist(t, Options{})
	order := sync.Merge{Name: "ship-1", Subject: "task", Author: "E <e@e>", Except: []string{issues}}
	put(t, c.ship.dir, issues, "forged\n")
	put(t, c.ship.dir, "work.txt", "work")
	m, err := c.h.Merge(t.Context(), c.ship, order)
	if err != nil || m.Changed != 1 || len(m.Notes) == 0 {
		t.Fatalf("%+v, %v", m, err)
	}
	if b, err := c.h.File(t.Context(), m.Commit, issues); err != nil || b != nil {
		t.Errorf("%q, %v", b, err)
	}
	if _, err := c.h.Write(t.Context(), issues, sync.Merge{Subject: "issues", Author: "E <e@e>"}, appended("ours")); err != nil {
		t.Fatal(err)
	}
	c.checkout()
	put(t, c.ship.dir, issues, "forged\n")
	if _, err := c.h.Write(t.Context(), issues, sync.Merge{Subject: "issues", Author: "E <e@e>"}, appended("more")); err != nil {
		t.Fatal(err)
	}
	if m, err = c.h.Merge(t.Context(), c.ship, order); err != nil || m.Changed != 0 {
		t.Fatalf("%+v, %v", m, err)
	}
	content(t, c.dir, issues, "ours\nmore\n")
}
