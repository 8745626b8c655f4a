package mutagen

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ocaptain/tasks/eventually"
)

// TestOddFiles: odd files travel if they can, and otherwise stay where they are. None stops other files.
func TestOddFiles(t *testing.T) {
	h := open(t)
	spec := local(t)
	a, b := spec.A.Path, spec.B.Path
	long := strings.Repeat("n", 255)
	deep := strings.Repeat(strings.Repeat("d", 100)+"/", 20) + "x"
	put(t, a, map[string]string{
		"Case": "1", "case": "2", "e\u0301": "decomposed", "\u00e9": "composed", long: "3", deep: "4", "one": "linked", ".mutagen-temporary-mine": "mine",
		"empty\nline": "5",
	})
	if err := errors.Join(
		os.MkdirAll(filepath.Join(a, "bare/er"), 0o755), os.Link(filepath.Join(a, "one"), filepath.Join(a, "two")), os.Symlink("loop", filepath.Join(a, "loop")),
		os.Symlink("nowhere", filepath.Join(a, "dangling")), os.WriteFile(filepath.Join(a, "none"), nil, 0o644),
	); err != nil {
		t.Fatal(err)
	}
	socket, err := new(net.ListenConfig).Listen(t.Context(), "unix", filepath.Join(short(t), "s"))
	if err != nil {
		t.Fatal(err)
	}
	defer socket.Close()
	if err := os.Rename(socket.Addr().String(), filepath.Join(a, "socket")); err != nil && !errors.Is(err, os.ErrInvalid) {
		t.Log(err) // the directories are on different file systems
	}
	p := h.pair(t, spec)
	has(t, b, map[string]string{"Case": "1", "case": "2", "e\u0301": "decomposed", "\u00e9": "composed", long: "3", deep: "4", "one": "linked", "two": "linked", "empty\nline": "5"})
	for name, want := range map[string]string{"loop": "loop", "dangling": "nowhere"} {
		if to, err := os.Readlink(filepath.Join(b, name)); err != nil || to != want {
			t.Errorf("%s leads to %q: %v", name, to, err)
		}
	}
	for _, name := range []string{"bare/er", "none"} {
		if _, err := os.Stat(filepath.Join(b, name)); err != nil {
			t.Error(err)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(b, ".mutagen-*")); len(left) > 0 {
		t.Errorf("it brings %q", left)
	}
	if problems, _ := p.state().Problems(); len(problems) > 0 {
		t.Errorf("%+v", problems)
	}
}

// TestIgnoredInRemoved: if one side removes a directory in which the other has ignored files, that is a conflict. The
// directory stays, and other files travel.
func TestIgnoredInRemoved(t *testing.T) {
	h := open(t)
	spec := local(t)
	put(t, spec.A.Path, map[string]string{"lib/x": "1", "lib/sub/y": "2", "other": "3"})
	p := h.pair(t, spec)
	put(t, spec.B.Path, map[string]string{"lib/node_modules/m": "mine", "other": "4"})
	if err := os.RemoveAll(filepath.Join(spec.A.Path, "lib")); err != nil {
		t.Fatal(err)
	}
	p.flush()
	has(t, spec.B.Path, map[string]string{"lib/node_modules/m": "mine", "lib/x": "1"})
	has(t, spec.A.Path, map[string]string{"other": "4"})
	if s := p.state(); s.CountConflicts() != 1 || s.Conflicts[0].Root != "lib" {
		t.Errorf("%+v", s)
	}
	if err := os.RemoveAll(filepath.Join(spec.B.Path, "lib", "node_modules")); err != nil {
		t.Fatal(err)
	}
	p.flush()
	has(t, spec.B.Path, map[string]string{"lib/x": "", "lib/sub/y": ""})
	if s := p.state(); s.CountConflicts() != 0 {
		t.Errorf("%+v", s)
	}
}

// TestSameSizeAndTime: Mutagen notices a change that keeps size and time of a file if it is a new file under the old
// name, and otherwise once the time changes (see ocaptain help live). A time in the future does no harm.
func TestSameSizeAndTime(t *testing.T) {
	h := open(t)
	spec := local(t)
	put(t, spec.A.Path, map[string]string{"x": "old", "y": "old"})
	p := h.pair(t, spec)
	for _, name := range []string{"x", "y"} {
		path := filepath.Join(spec.A.Path, name)
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if name == "y" { // a new file under the old name, as editors write it
			put(t, spec.A.Path, map[string]string{"t": "new"})
			err = os.Rename(filepath.Join(spec.A.Path, "t"), path)
		} else {
			err = os.WriteFile(path, []byte("new"), 0o644)
		}
		if err = errors.Join(err, os.Chtimes(path, info.ModTime(), info.ModTime())); err != nil {
			t.Fatal(err)
		}
	}
	put(t, spec.A.Path, map[string]string{"future": "f"})
	when := time.Now().Add(1000 * time.Hour)
	if err := os.Chtimes(filepath.Join(spec.A.Path, "future"), when, when); err != nil {
		t.Fatal(err)
	}
	p.flush()
	has(t, spec.B.Path, map[string]string{"y": "new", "future": "f", "x": "old"})
	if err := os.Chtimes(filepath.Join(spec.A.Path, "x"), when, when); err != nil {
		t.Fatal(err)
	}
	p.flush()
	has(t, spec.B.Path, map[string]string{"x": "new"})
}

// TestBusy: files are written, created and removed while Mutagen scans. In the end both sides must be the same.
func TestBusy(t *testing.T) {
	h := open(t)
	spec := local(t)
	put(t, spec.A.Path, map[string]string{"log": ""})
	p := h.pair(t, spec)
	ctx, stop := context.WithCancel(t.Context())
	written := make(chan error, 1)
	go func() {
		var err error
		for i := 0; ctx.Err() == nil && err == nil; i++ {
			var f *os.File
			if f, err = os.OpenFile(filepath.Join(spec.A.Path, "log"), os.O_APPEND|os.O_WRONLY, 0); err == nil {
				_, err = fmt.Fprintf(f, "line %d\n", i)
				err = errors.Join(err, f.Close())
			}
			passing := filepath.Join(spec.B.Path, fmt.Sprint("dir", i%7))
			err = errors.Join(err, os.MkdirAll(filepath.Join(passing, "deep"), 0o755), os.WriteFile(filepath.Join(passing, "deep", "x"), bytes.Repeat([]byte{byte(i)}, i%5000), 0o644))
			if i%3 == 0 {
				err = errors.Join(err, os.RemoveAll(passing))
			}
		}
		written <- err
	}()
	for range 10 {
		_ = h.Flush(t.Context(), p.id) // may fail because a file changed during the scan
	}
	stop()
	if err := eventually.Receives(t, "the end of writing", written); err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	eventually.Holds(t, "both sides are the same", func() bool {
		p.flush()
		return fmt.Sprint(texts(t, spec.A.Path)) == fmt.Sprint(texts(t, spec.B.Path))
	})
	if s := p.state(); s.CountConflicts() > 0 || !strings.HasPrefix(texts(t, spec.B.Path)["log"], "line 0\nline 1\n") {
		t.Errorf("%+v", s)
	}
}
