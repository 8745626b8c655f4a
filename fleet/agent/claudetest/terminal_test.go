package claudetest_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"ocaptain/tasks/eventually"
)

// terminal is a window of a separate tmux server.
type terminal struct {
	t      *testing.T
	socket string
	dir    string
	env    []string
}

func newTerminal(t *testing.T, dir string, env []string) *terminal {
	t.Helper()
	run, err := os.MkdirTemp("", "oc") // short, as the path of a socket is limited
	if err != nil {
		t.Fatal(err)
	}
	term := &terminal{t, filepath.Join(run, "tmux"), dir, env}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("screen:\n%s", term.screen())
		}
		term.kill()
		_ = os.RemoveAll(run)
	})
	return term
}

func (x *terminal) tmux(args ...string) *exec.Cmd {
	cmd := exec.Command("tmux", append([]string{"-f", "/dev/null", "-S", x.socket}, args...)...)
	cmd.Dir, cmd.Env = x.dir, x.env
	return cmd
}

func (x *terminal) must(args ...string) {
	x.t.Helper()
	if out, err := x.tmux(args...).CombinedOutput(); err != nil {
		x.t.Fatalf("tmux %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

func (x *terminal) run(argv ...string) {
	x.t.Helper()
	x.must(append([]string{"new-session", "-d", "-s", "claude", "-x", "120", "-y", "40", "--"}, argv...)...)
}

// say types a line. It presses Enter once the text is on the screen, or Claude Code would take both for one paste.
func (x *terminal) say(line string) {
	x.t.Helper()
	x.must("send-keys", "-t", "claude", "-l", line)
	eventually.Holds(x.t, fmt.Sprintf("%q shows", line), func() bool { return strings.Contains(x.screen(), line) })
	x.must("send-keys", "-t", "claude", "Enter")
}

func (x *terminal) screen() string {
	out, _ := x.tmux("capture-pane", "-p", "-t", "claude").CombinedOutput()
	return string(out)
}

// kill kills the server and waits for the programs in it, as they still write to their home.
func (x *terminal) kill() {
	out, err := x.tmux("display-message", "-p", "-t", "claude", "#{pane_pid}").Output()
	if err != nil {
		return // the server ended with its last window
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(out)))
	if err != nil {
		x.t.Fatal(err)
	}
	_ = x.tmux("kill-server").Run()
	eventually.Holds(x.t, "what ran in it has ended", func() bool { return syscall.Kill(pid, 0) != nil })
}

func (x *terminal) ended() bool { return x.tmux("has-session", "-t", "claude").Run() != nil }
