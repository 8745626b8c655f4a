package aboard

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"ocaptain/fleet/aboard/aboardtest"
	"ocaptain/fleet/aboard/shipdir"
)

// window is a tmux server of its own, as a ship has one.
type window struct {
	t   *testing.T
	dir string
	env []string
}

func newWindow(t *testing.T, dir string) *window {
	w := &window{t, dir, append(os.Environ(), "HOME="+dir, "TMUX_TMPDIR="+dir, "TMUX=", "GORACE=atexit_sleep_ms=0", "SHELL=/bin/sh", "PS1=shell> ", "ENV=")}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("screen:\n%s", w.screen())
		}
		var r shipdir.Running
		_ = shipdir.ReadJSON(shipdir.Dir(dir).Run(), &r)
		_ = w.tmux("kill-server").Run()
		aboardtest.Await(t, "the end of the runner", func() bool { return !r.Runner.Alive() && !r.Agent.Alive() })
	})
	return w
}

func (w *window) tmux(args ...string) *exec.Cmd {
	cmd := exec.Command("tmux", append([]string{"-f", "/dev/null", "-L", shipdir.TmuxServer}, args...)...)
	cmd.Env = w.env
	return cmd
}

func (w *window) must(args ...string) string {
	w.t.Helper()
	out, err := w.tmux(args...).CombinedOutput()
	if err != nil {
		w.t.Fatalf("tmux %s: %v\n%s", args[0], err, out)
	}
	return strings.TrimSpace(string(out))
}

func (w *window) screen() string {
	out, _ := w.tmux("capture-pane", "-p", "-t", "claude").CombinedOutput()
	return string(out)
}

// run starts the runner.
func (w *window) run() {
	w.t.Helper()
	exe, err := os.Executable()
	if err != nil {
		w.t.Fatal(err)
	}
	w.must("new-session", "-d", "-s", "claude", "-x", "100", "-y", "30", exe, "aboard", "run")
}

func (w *window) name() string {
	return w.must("display-message", "-p", "-t", "claude", "#{window_name}")
}

// state is what the runner says of itself.
func (w *window) state() shipdir.Running {
	var r shipdir.Running
	_ = shipdir.ReadJSON(shipdir.Dir(w.dir).Run(), &r)
	return r
}

// fakeClaude puts a claude aboard that is this test binary.
func fakeClaude(t *testing.T, dir, script string) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	bin := filepath.Join(dir, ".ocaptain", "bin")
	if err := os.MkdirAll(bin, 0o755); err != nil {
		t.Fatal(err)
	}
	text := fmt.Sprintf("#!/bin/sh\n[ \"$1\" = --version ] && { echo '2.1.329 (Claude Code)'; exit; }\n%s\nexec %s fake-agent \"$@\"\n", script, exe)
	if err := os.WriteFile(filepath.Join(bin, "claude"), []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
}

// fakeAgent writes down how it was called and does what it reads, line by line.
func fakeAgent() int {
	dir := os.Getenv("HOME")
	call, _ := json.Marshal(map[string]any{"args": os.Args[2:], "env": os.Environ()})
	f, err := os.OpenFile(filepath.Join(dir, "calls"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return 9
	}
	_, _ = f.Write(append(call, '\n'))
	_ = f.Close()
	fmt.Println("agent ready")
	var line string
	for {
		fmt.Print("❯ ")
		if _, err := fmt.Scanln(&line); err != nil {
			return 0
		}
		line = strings.ReplaceAll(line, "\u2060", "") // as Claude Code does
		switch line {
		case "die":
			return 3
		case "exit":
			return 0
		}
		fmt.Println("heard", line)
	}
}

type call struct{ Args, Env []string }

func calls(dir string) []call {
	raw, _ := os.ReadFile(filepath.Join(dir, "calls"))
	var all []call
	for line := range strings.Lines(string(raw)) {
		var c call
		if json.Unmarshal([]byte(line), &c) == nil {
			all = append(all, c)
		}
	}
	return all
}
