package supervise

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"ocaptain/fleet"
)

// newStart returns a hub on which helm can start. Its paths are short enough for sockets.
func newStart(t *testing.T) fleet.Hub {
	t.Helper()
	home, err := os.MkdirTemp("", "oc")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(home) })
	h := fleet.Hub{Home: home, Voyages: filepath.Join(home, "voyages"), State: filepath.Join(home, "state"), Config: filepath.Join(home, "config")}
	h.Runtime = filepath.Join(h.State, "run")
	if err := h.Make(); err != nil {
		t.Fatal(err)
	}
	return h
}

// Check names whatever keeps helm from starting. If nothing does, or a helm is running, it returns nil. It leaves
// nothing behind.
func TestCheck(t *testing.T) {
	inTheWay := func(name ...string) func(*testing.T, *fleet.Hub) string {
		return func(t *testing.T, h *fleet.Hub) string {
			path := filepath.Join(append([]string{h.State}, name...)...)
			if err := errors.Join(os.RemoveAll(path), os.MkdirAll(filepath.Join(path, "x"), 0o700)); err != nil {
				t.Fatal(err)
			}
			return path
		}
	}
	for name, spoil := range map[string]func(*testing.T, *fleet.Hub) string{
		"nothing": func(*testing.T, *fleet.Hub) string { return "" },
		"a helm runs": func(t *testing.T, h *fleet.Hub) string {
			release, err := BecomeHelm(t.Context(), *h)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(release)
			return ""
		},
		"log":    inTheWay("helm.log"),
		"lock":   inTheWay("helm.lock"),
		"socket": inTheWay("run", "helm.test"),
		"program": func(t *testing.T, h *fleet.Hub) string {
			path := filepath.Join(h.State, "bin")
			if err := os.WriteFile(path, nil, 0o600); err != nil {
				t.Fatal(err)
			}
			return path
		},
		"runtime": func(t *testing.T, h *fleet.Hub) string {
			if err := errors.Join(os.Remove(h.Runtime), os.WriteFile(h.Runtime, nil, 0o600)); err != nil {
				t.Fatal(err)
			}
			return h.Runtime
		},
		"long runtime": func(t *testing.T, h *fleet.Hub) string {
			h.Runtime = filepath.Join(h.State, strings.Repeat("x", 100))
			return h.Runtime
		},
	} {
		t.Run(name, func(t *testing.T) {
			h := newStart(t)
			names := spoil(t, &h)
			err := Check(t.Context(), h)
			if names == "" != (err == nil) || err != nil && !strings.Contains(err.Error(), names) {
				t.Errorf("it says %v, not %q", err, names)
			}
			if _, err := os.Stat(filepath.Join(h.Runtime, "helm.test")); name != "socket" && err == nil {
				t.Error("it leaves a socket")
			}
		})
	}
}

// If the running program was removed, it cannot start helm.
func TestProgramIsGone(t *testing.T) {
	h := newStart(t)
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(exe)
	program := filepath.Join(h.Home, "program")
	if err = errors.Join(err, os.WriteFile(program, raw, 0o700)); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, "helm", "gone")
	cmd.Env = append(os.Environ(), "OCAPTAIN_HOME="+h.Home)
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "its program cannot be copied: ") {
		t.Errorf("it says %q, %v", out, err)
	}
}

// If helm ends before it answers, the error says why, without a delay.
func TestWhyHelmDidNotStart(t *testing.T) {
	h := newStart(t)
	t.Setenv("HOME", h.Home)
	t.Setenv("XDG_DATA_HOME", h.State)
	for _, name := range []string{"crash", "helm.log"} {
		if err := os.WriteFile(filepath.Join(h.State, name), []byte("error: of another time\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	_, err := Ensure(t.Context(), h)
	if err == nil || !strings.Contains(err.Error(), "helm did not start: no key; its log is "+LogPath(h)) {
		t.Errorf("it says %v", err)
	}
}

func TestLastWords(t *testing.T) {
	h := newStart(t)
	const before = "error: before\n"
	for log, want := range map[string]string{
		"": "it said nothing",
		"level=INFO msg=up\nerror: no key\n       and no hope\nhint:  make one\n": "no key",
		"level=INFO msg=up\nlevel=ERROR msg=down\n\n":                             "level=ERROR msg=down",
	} {
		if err := os.WriteFile(LogPath(h), []byte(before+log), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := lastWords(h, int64(len(before))); got != want {
			t.Errorf("%q: %q", log, got)
		}
	}
}
