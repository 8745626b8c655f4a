package mutagen

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"ocaptain/sync/mutagen/mutagentest"
	"ocaptain/tasks/eventually"
)

// open returns a Home of the test's own.
func open(t testing.TB) *Home {
	t.Helper()
	mutagentest.InPath(t)
	p, err := Find(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	h, err := Open(t.Context(), p, short(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := h.Stop(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return h
}

// short makes a directory with a path short enough for a socket.
func short(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "mut-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

func put(t testing.TB, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
}

func has(t *testing.T, dir string, want map[string]string) {
	t.Helper()
	for name, text := range want {
		got, err := os.ReadFile(filepath.Join(dir, name))
		if text == "" && !errors.Is(err, os.ErrNotExist) || text != "" && string(got) != text {
			t.Errorf("%s in %s: %q, %v, want %q", name, dir, got, err, text)
		}
	}
}

// pair is a session between two directories.
type pair struct {
	*testing.T
	h    *Home
	spec Spec
	id   string
}

func (h *Home) pair(t *testing.T, spec Spec) *pair {
	t.Helper()
	id, err := h.Ensure(eventually.Context(t), spec)
	if err != nil {
		t.Fatal(err)
	}
	p := &pair{t, h, spec, id}
	t.Cleanup(func() { _ = h.Terminate(context.Background(), id) }) // before the directories are removed; the session may have ended
	p.flush()
	return p
}

func (p *pair) flush() {
	p.Helper()
	eventually.Succeeds(p, "it flushes", func() error { return p.h.Flush(eventually.Context(p), p.id) })
}

func (p *pair) state() State {
	p.Helper()
	all, err := p.h.List(p.Context())
	if err != nil {
		p.Fatal(err)
	}
	for _, s := range all {
		if s.ID == p.id {
			return s
		}
	}
	p.Fatalf("session %s is not listed: %+v", p.id, all)
	return State{}
}

func local(t *testing.T) Spec {
	t.Helper()
	return Spec{
		Mode: TwoWay, A: Endpoint{Path: t.TempDir()}, B: Endpoint{Path: t.TempDir()}, Ignore: append([]string{"/secret"}, Ignored...),
		Labels: map[string]string{"ocaptain.voyage": "voyage-1", "ocaptain.ship": "ship-0"},
	}
}

// TestBothWays: changes travel in both directions, except those of git's own files and of ignored files.
func TestBothWays(t *testing.T) {
	h := open(t)
	spec := local(t)
	put(t, spec.A.Path, map[string]string{"main.go": "a", "deep/er/x": "b", ".git/config": "mine", "secret": "s", "node_modules/p/x": "m", "sub/.git": "gitdir: x"})
	p := h.pair(t, spec)
	has(t, spec.B.Path, map[string]string{"main.go": "a", "deep/er/x": "b", ".git/config": "", "secret": "", "node_modules/p/x": "", "sub/.git": ""})
	put(t, spec.B.Path, map[string]string{"main.go": "c", "new": "d", ".git/config": "theirs", "sub/secret": "travels"})
	if err := os.RemoveAll(filepath.Join(spec.B.Path, "deep")); err != nil {
		t.Fatal(err)
	}
	p.flush()
	has(t, spec.A.Path, map[string]string{"main.go": "c", "new": "d", ".git/config": "mine", "deep/er/x": "", "sub/secret": "travels"})
	if s := p.state(); s.Status != "watching" || !s.Connected() || s.CountConflicts() > 0 || s.Error != "" || s.Halted() != "" {
		t.Errorf("%+v", s)
	}
	again, err := h.Ensure(t.Context(), spec)
	if err != nil || again != p.id {
		t.Errorf("asked again: %s, %v, want %s", again, err, p.id)
	}
	if all, err := h.List(t.Context()); err != nil || len(Labelled(all, spec.Labels)) != 1 || len(Labelled(all, map[string]string{"ocaptain.voyage": "voyage-2"})) != 0 {
		t.Errorf("%+v: %v", all, err)
	}
	if err := h.Terminate(t.Context(), p.id); err != nil {
		t.Fatal(err)
	}
	if all, err := h.List(t.Context()); err != nil || len(all) != 0 {
		t.Errorf("%+v: %v", all, err)
	}
}

// TestConflict: a file that both sides have changed stays as it is on each side and is reported. Once one copy is
// deleted, the other travels.
func TestConflict(t *testing.T) {
	h := open(t)
	spec := local(t)
	put(t, spec.A.Path, map[string]string{"x": "1", "y": "1"})
	p := h.pair(t, spec)
	if err := h.Pause(t.Context(), p.id); err != nil || !p.state().Paused {
		t.Fatal(err)
	}
	put(t, spec.A.Path, map[string]string{"x": "hub", "y": "same"})
	put(t, spec.B.Path, map[string]string{"x": "ship", "y": "same"})
	if id, err := h.Ensure(t.Context(), spec); err != nil || id != p.id || !p.state().Paused {
		t.Fatal(id, err)
	}
	if err := h.Resume(t.Context(), p.id); err != nil {
		t.Fatal(err)
	}
	p.flush()
	has(t, spec.A.Path, map[string]string{"x": "hub"})
	has(t, spec.B.Path, map[string]string{"x": "ship"})
	s := p.state()
	if s.CountConflicts() != 1 || s.Conflicts[0].Root != "x" || s.Conflicts[0].A[0].New.Kind != "file" || s.Conflicts[0].A[0].New.Digest == s.Conflicts[0].B[0].New.Digest {
		t.Errorf("%+v", s)
	}
	if err := os.Remove(filepath.Join(spec.A.Path, "x")); err != nil {
		t.Fatal(err)
	}
	p.flush()
	has(t, spec.A.Path, map[string]string{"x": "ship"})
	if s := p.state(); s.CountConflicts() != 0 {
		t.Errorf("%+v", s)
	}
}

// TestEmptied: when one side loses all its files at once, the session stops, and Reset restores the files.
func TestEmptied(t *testing.T) {
	h := open(t)
	spec := local(t)
	put(t, spec.A.Path, map[string]string{"x": "1", "y": "1"})
	p := h.pair(t, spec)
	if err := errors.Join(os.Remove(filepath.Join(spec.B.Path, "x")), os.Remove(filepath.Join(spec.B.Path, "y"))); err != nil {
		t.Fatal(err)
	}
	eventually.Holds(t, "it halts", func() bool { return p.state().Halted() != "" })
	has(t, spec.A.Path, map[string]string{"x": "1", "y": "1"})
	if err := h.Flush(t.Context(), p.id); err == nil {
		t.Error("it flushes although it is halted")
	}
	if err := h.Reset(t.Context(), p.id); err != nil {
		t.Fatal(err)
	}
	p.flush()
	has(t, spec.B.Path, map[string]string{"x": "1", "y": "1"})
}

// TestProblems: a file that cannot travel is reported as a problem, whatever its name is.
func TestProblems(t *testing.T) {
	h := open(t)
	spec := local(t)
	put(t, spec.A.Path, map[string]string{"x": "1", "odd\x1b[31m\xff": "2"})
	if err := errors.Join(os.Symlink("/etc/passwd", filepath.Join(spec.A.Path, "abs")), os.Symlink("../../up", filepath.Join(spec.A.Path, "esc")),
		os.Symlink("x", filepath.Join(spec.A.Path, "good")), syscall.Mkfifo(filepath.Join(spec.A.Path, "pipe"), 0o600)); err != nil {
		t.Fatal(err)
	}
	p := h.pair(t, spec)
	all, more := p.state().Problems()
	if len(all) != 3 || more != 0 {
		t.Errorf("%+v and %d", all, more)
	}
	if to, err := os.Readlink(filepath.Join(spec.B.Path, "good")); err != nil || to != "x" {
		t.Errorf("%s: %v", to, err)
	}
	if _, err := os.Lstat(filepath.Join(spec.B.Path, "abs")); err == nil {
		t.Error("a link out of the tree travels")
	}
}

// TestWatch: Watch reports changes, and ends with the daemon.
func TestWatch(t *testing.T) {
	h := open(t)
	spec := local(t)
	p := h.pair(t, spec)
	told, ended := make(chan []State), make(chan error, 1)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() {
		ended <- h.Watch(ctx, func(all []State) {
			select {
			case told <- all:
			case <-ctx.Done():
			}
		})
	}()
	if all := eventually.Receives(t, "the sessions", told); len(all) != 1 || all[0].ID != p.id || all[0].Labels["ocaptain.ship"] != "ship-0" {
		t.Errorf("%+v", all)
	}
	if err := h.Pause(t.Context(), p.id); err != nil {
		t.Fatal(err)
	}
	for all := eventually.Receives(t, "a change", told); !all[0].Paused; {
		all = eventually.Receives(t, "a change", told)
	}
	kill(t, daemon(t, h), syscall.SIGKILL)
	go func() {
		for range told {
		}
	}()
	if err := eventually.Receives(t, "the end", ended); !errors.Is(err, ErrEnded) {
		t.Errorf("%v", err)
	}
	if s := p.state(); !s.Paused { // the command starts the daemon again
		t.Errorf("%+v", s)
	}
}

// TestBounds: names and errors from a ship are cut to a bound.
func TestBounds(t *testing.T) {
	long := strings.Repeat("€", 100_000)
	many := strings.TrimSuffix(strings.Repeat(fmt.Sprintf(`{"path":%q,"error":%q},`, long, long), 60), ",")
	all, err := decode(fmt.Appendf(nil, `[{"identifier":"sync_1","status":%q,"lastError":%q,"beta":{"scanProblems":[%s],"excludedScanProblems":5}}]`, long, long, many))
	if err != nil {
		t.Fatal(err)
	}
	s := all[0]
	if len(s.Status) > 110 || len(s.Error) > mostText+10 || len(s.B.Scan) != mostListed || s.B.MoreScan != 15 || len(s.B.Scan[0].Path) > mostPath+10 || len(s.B.Scan[0].Why) > mostText+10 {
		t.Errorf("status %d, error %d, %d problems and %d more", len(s.Status), len(s.Error), len(s.B.Scan), s.B.MoreScan)
	}
	for _, bad := range []string{"", "{}", "[", "[1]", "null x"} {
		if all, err := decode([]byte(bad)); err == nil {
			t.Errorf("%q: %+v", bad, all)
		}
	}
	if err := follow(strings.NewReader("[]\n\n[]\nnonsense\n"), func([]State) {}); err == nil {
		t.Error("nonsense is understood")
	}
}

// TestFind: the error of Find says what is wrong and how to mend it.
func TestFind(t *testing.T) {
	for name, c := range map[string]struct {
		files map[string]string
		want  string
	}{
		"absent":    {nil, ErrAbsent.Error()},
		"old":       {map[string]string{"mutagen": "#!/bin/sh\necho 0.16.2\n"}, "0.17 is needed"},
		"no number": {map[string]string{"mutagen": "#!/bin/sh\necho hello\n"}, "0.17 is needed"},
		"broken":    {map[string]string{"mutagen": "#!/bin/sh\nexit 3\n"}, "does not run"},
		"bare":      {map[string]string{"mutagen": "#!/bin/sh\necho 0.18.1\n"}, "has no mutagen-agents.tar.gz beside it"},
		"beside":    {map[string]string{"mutagen": "#!/bin/sh\necho 0.18.1\n", "mutagen-agents.tar.gz": ""}, ""},
		"libexec":   {map[string]string{"mutagen": "#!/bin/sh\necho 0.18.1\n", "../libexec/mutagen-agents.tar.gz": ""}, ""},
	} {
		dir := filepath.Join(t.TempDir(), "bin")
		put(t, dir, c.files)
		if c.files != nil {
			if err := os.Chmod(filepath.Join(dir, "mutagen"), 0o755); err != nil {
				t.Fatal(err)
			}
		}
		t.Setenv("PATH", dir)
		p, err := Find(t.Context())
		if c.want == "" && (err != nil || p.Version != "0.18.1") || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %+v, %v", name, p, err)
		}
	}
}

// TestStop: Stop succeeds for a killed daemon.
func TestStop(t *testing.T) {
	h := open(t)
	h.pair(t, local(t))
	kill(t, daemon(t, h), syscall.SIGKILL)
	for range 2 {
		if err := h.Stop(t.Context()); err != nil {
			t.Error(err)
		}
	}
}
