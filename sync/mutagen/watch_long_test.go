//go:build long

package mutagen

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"ocaptain/tasks/eventually"
)

// same waits until two trees are the same, without a flush.
func same(t *testing.T, a, b string) {
	t.Helper()
	eventually.Holds(t, "both sides are the same", func() bool { return fmt.Sprint(tolerant(a)) == fmt.Sprint(tolerant(b)) })
}

// tolerant is texts for a tree that may change meanwhile.
func tolerant(dir string) map[string]string {
	all := map[string]string{}
	_ = filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		name, _ := filepath.Rel(dir, path)
		if err == nil && e.Name() == ".git" {
			return filepath.SkipDir
		}
		if err == nil && e.Type().IsRegular() {
			raw, err := os.ReadFile(path)
			all[name] = fmt.Sprint(string(raw), err)
		} else if err == nil {
			all[name] = e.Type().String()
		}
		return nil
	})
	return all
}

// TestSeen: Mutagen notices changes without a flush: new directories with files, files that editors write, append to,
// move in or out, changes by git, and more events than inotify reports.
func TestSeen(t *testing.T) {
	h := open(t)
	spec := local(t)
	a, b := spec.A.Path, spec.B.Path
	put(t, a, map[string]string{"x": "1", "log": "1\n", "tree/deep/y": "2"})
	p := h.pair(t, spec)
	in := func(name string) string { return filepath.Join(a, name) }
	git := func(args ...string) error {
		out, err := exec.CommandContext(t.Context(), "git", append([]string{"-C", a, "-c", "user.name=a", "-c", "user.email=a@x", "-c", "core.hooksPath=/dev/null"}, args...)...).CombinedOutput()
		if err != nil {
			err = fmt.Errorf("git %s: %s", args[0], out)
		}
		return err
	}
	aside := filepath.Join(t.TempDir(), "aside")
	for _, step := range []struct {
		name string
		do   func() error
	}{
		{"new directories", func() error {
			return errors.Join(os.MkdirAll(in("new/er/est"), 0o755), os.WriteFile(in("new/er/est/z"), []byte("3"), 0o644))
		}},
		{"an editor", func() error {
			return errors.Join(os.WriteFile(in(".x.swp"), []byte("4"), 0o644), os.Rename(in(".x.swp"), in("x")))
		}},
		{"appended to", func() error {
			f, err := os.OpenFile(in("log"), os.O_APPEND|os.O_WRONLY, 0)
			if err == nil {
				_, err = f.WriteString("2\n")
				err = errors.Join(err, f.Close())
			}
			return err
		}},
		{"moved out", func() error { return os.Rename(in("tree"), aside) }},
		{"moved in", func() error { return os.Rename(aside, in("tree")) }},
		{"git", func() error {
			return errors.Join(git("init", "-q", "-b", "main"), git("add", "."), git("commit", "-qm", "1"), git("checkout", "-q", "-b", "other"), git("rm", "-qr", "tree"), git("commit", "-qm", "2"), git("checkout", "-q", "main"))
		}},
		{"a storm", func() error {
			for i := range 30_000 {
				dir := in(fmt.Sprintf("many/%d", i%100))
				if err := errors.Join(os.MkdirAll(dir, 0o755), os.WriteFile(filepath.Join(dir, fmt.Sprint(i)), []byte(fmt.Sprint(i)), 0o644)); err != nil {
					return err
				}
			}
			return nil
		}},
		{"more events than the kernel keeps", func() error { // in a directory that Mutagen already watches
			for i := range 60_000 {
				if err := errors.Join(os.WriteFile(in("passing"), []byte(fmt.Sprint(i)), 0o644), os.Remove(in("passing"))); err != nil {
					return err
				}
			}
			return os.WriteFile(in("passing"), []byte("5"), 0o644)
		}},
		{"the end of it", func() error { return os.RemoveAll(in("many")) }},
	} {
		if err := step.do(); err != nil {
			t.Fatalf("%s: %v", step.name, err)
		}
		same(t, a, b)
	}
	if s := p.state(); s.CountConflicts() > 0 || s.Halted() != "" {
		t.Errorf("%+v", s)
	}
	p.flush()
	before := stamps(t, b)
	when := time.Now().Add(-time.Hour)
	if err := os.Chtimes(in("x"), when, when); err != nil {
		t.Fatal(err)
	}
	p.flush()
	if stamps(t, b)["x"] != before["x"] {
		t.Error("a file that was touched is written again on the other side")
	}
}
