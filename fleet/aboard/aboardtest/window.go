package aboardtest

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"ocaptain/fleet/aboard/shipdir"
	"ocaptain/fleet/slottest"
	"ocaptain/tasks/eventually"
)

// Window is a separate tmux server, such as every ship has.
type Window struct {
	t   *testing.T
	dir string
	env []string
}

// NewWindow returns a tmux server for the ship in dir, which ends with the test.
func NewWindow(t *testing.T, dir string) *Window {
	slottest.Take(t, 1)
	w := &Window{t, dir, append(os.Environ(), "HOME="+dir, "TMUX_TMPDIR="+dir, "TMUX=", "GORACE=atexit_sleep_ms=0", "SHELL=/bin/sh", "PS1=shell> ", "ENV=")}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("screen:\n%s", w.Screen())
		}
		var r shipdir.Running
		_ = shipdir.ReadJSON(shipdir.Dir(dir).Run(), &r)
		_ = w.Tmux("kill-server").Run()
		eventually.Holds(t, "the end of the runner", func() bool { return !r.Runner.Alive() && !r.Agent.Alive() })
	})
	return w
}

// Tmux returns a command for that tmux server.
func (w *Window) Tmux(args ...string) *exec.Cmd {
	cmd := exec.Command("tmux", append([]string{"-f", "/dev/null", "-L", shipdir.TmuxServer}, args...)...)
	cmd.Env = w.env
	return cmd
}

// Must runs a tmux command that must succeed, and returns its output.
func (w *Window) Must(args ...string) string {
	w.t.Helper()
	out, err := w.Tmux(args...).CombinedOutput()
	if err != nil {
		w.t.Fatalf("tmux %s: %v\n%s", args[0], err, out)
	}
	return strings.TrimSpace(string(out))
}

// Screen returns what the window shows.
func (w *Window) Screen() string {
	out, _ := w.Tmux("capture-pane", "-p", "-t", "claude").CombinedOutput()
	return string(out)
}

// Run starts the runner in the window.
func (w *Window) Run() {
	w.t.Helper()
	exe, err := os.Executable()
	if err != nil {
		w.t.Fatal(err)
	}
	w.Must("new-session", "-d", "-s", "claude", "-x", "100", "-y", "30", exe, "aboard", "run")
}

// Name is the name of the window.
func (w *Window) Name() string {
	return w.Must("display-message", "-p", "-t", "claude", "#{window_name}")
}

// Running returns what the runner has recorded about itself.
func (w *Window) Running() shipdir.Running {
	var r shipdir.Running
	_ = shipdir.ReadJSON(shipdir.Dir(w.dir).Run(), &r)
	return r
}
