package e2e

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"ocaptain/fleet"
	"ocaptain/fleet/proctest"
	"ocaptain/tasks/eventually"
)

// gated returns a command that waits until the test lets it go on, however long that takes. Before that it changes a
// file, so that the ship has work to lose.
func gated(before string) string {
	return "echo work >made-$OCAPTAIN_TASK; " + before + "\n" +
		"rm -f ~/gate-$OCAPTAIN_TASK; mkfifo ~/gate-$OCAPTAIN_TASK; echo at the gate of $OCAPTAIN_TASK; read go <~/gate-$OCAPTAIN_TASK; echo through the gate of $OCAPTAIN_TASK"
}

// gatedPlan returns a plan of n tasks that wait for the test, and a last task that waits for all of them.
func gatedPlan(n int) []job {
	var jobs []job
	var ids []string
	for i := range n {
		id := fmt.Sprint(i + 1)
		ids = append(ids, id)
		jobs = append(jobs, job{id: id, subject: "Build part " + id, run: gated("")})
	}
	return append(jobs, job{id: fmt.Sprint(n + 1), subject: "Launch her", run: gated(""), after: ids})
}

const passes = "#!/bin/bash\necho verified by hand\n"

// sailGated sails a plan that waits for the test, and returns when each ship holds a task and has a file that is not
// merged.
func (c *captain) sailGated(t testing.TB, name string, ships int, jobs []job) fleet.Dir {
	t.Helper()
	d := c.sail(c.plan(name, "", passes, jobs), "-n", fmt.Sprint(ships), "--agent", "script")
	c.until(d, "every ship at work", func(b fleet.Board) bool {
		n := 0
		for _, s := range b.Ships {
			if s.Task != "" && s.Changed > 0 && s.Status.Word == fleet.Working {
				n++
			}
		}
		return n == ships
	})
	return d
}

// release lets the command of a task go on.
func (c *captain) release(t testing.TB, d fleet.Dir, task string) {
	t.Helper()
	pattern := filepath.Join(c.hub.State, "ships", d.ID()+"-*", "home", "gate-"+task)
	eventually.Holds(t, "a command waits at "+pattern, func() bool {
		gates, _ := filepath.Glob(pattern)
		return slices.ContainsFunc(gates, func(gate string) bool { return opened(t, gate) })
	})
}

// opened opens a gate, and reports whether a command waited at it.
func opened(t testing.TB, gate string) bool {
	t.Helper()
	f, err := os.OpenFile(gate, os.O_WRONLY|syscall.O_NONBLOCK, 0)
	if errors.Is(err, syscall.ENXIO) { // the gate of a command that has ended
		return false
	}
	if err != nil {
		t.Fatal(err)
	}
	_, err = f.WriteString("go\n")
	if err := errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
	return true
}

// ship returns the view of a ship on the board.
func (c *captain) ship(t testing.TB, d fleet.Dir, name string) fleet.ShipView {
	t.Helper()
	b, err := fleet.LoadBoard(d)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range b.Ships {
		if s.Name == name {
			return s
		}
	}
	raw, _ := json.Marshal(b.Ships)
	t.Fatalf("no %s on the board: %s", name, raw)
	return fleet.ShipView{}
}

// aboard runs a command of a ship's tmux, past helm.
func (c *captain) aboard(t testing.TB, d fleet.Dir, name string, args ...string) string {
	t.Helper()
	out, err := c.tmuxOf(d, name, args...)
	if err != nil {
		t.Fatalf("%s: tmux %v: %v\n%s", name, args, err, out)
	}
	return strings.TrimRight(out, "\n")
}

// tmuxOf is like aboard, for a ship whose tmux may not answer.
func (c *captain) tmuxOf(d fleet.Dir, name string, args ...string) (string, error) {
	socket, err := c.findTmux(d, name)
	if err != nil {
		return "", err
	}
	out, err := exec.Command("tmux", append([]string{"-S", socket, "-u"}, args...)...).CombinedOutput()
	return string(out), err
}

// tmuxSocket returns the path of a ship's tmux socket.
func (c *captain) tmuxSocket(t testing.TB, d fleet.Dir, name string) string {
	t.Helper()
	socket, err := c.findTmux(d, name)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return socket
}

func (c *captain) findTmux(d fleet.Dir, name string) (string, error) {
	b, err := fleet.LoadBoard(d)
	if err != nil {
		return "", err
	}
	for _, s := range b.Ships {
		if s.Name != name {
			continue
		}
		sockets, _ := filepath.Glob(filepath.Join(c.shipRuntime(s.Machine.Name), "tmux-*", "ocaptain"))
		if len(sockets) == 1 {
			return sockets[0], nil
		}
		return "", fmt.Errorf("sockets of its tmux: %q", sockets)
	}
	return "", errors.New("no such ship")
}

// shipRuntime returns the directory of a ship's sockets: the value of TMUX_TMPDIR in its processes.
func (c *captain) shipRuntime(machine string) string {
	for _, p := range proctest.With(filepath.Join(c.hub.State, "ships", machine)) {
		pid, _, _ := strings.Cut(p, " ")
		raw, _ := os.ReadFile("/proc/" + pid + "/environ")
		for _, kv := range strings.Split(string(raw), "\x00") {
			if dir, ok := strings.CutPrefix(kv, "TMUX_TMPDIR="); ok {
				return dir
			}
		}
	}
	return "no-such-directory"
}

// shows waits until the terminal of a ship's agent shows a text.
func (c *captain) shows(t testing.TB, d fleet.Dir, name, text string) {
	t.Helper()
	eventually.Succeeds(t, fmt.Sprintf("%s shows %q", name, text), func() error {
		shown, _ := c.tmuxOf(d, name, "capture-pane", "-p", "-J", "-t", "=ship:")
		if !strings.Contains(shown, text) {
			return errors.New("it shows\n" + shown)
		}
		return nil
	})
}
