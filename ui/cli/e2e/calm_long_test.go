//go:build long

package e2e

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/retry"
	"ocaptain/tasks/eventually"
)

// calmRounds is how many voyages TestNoFalseAlarm starts.
const calmRounds = 20

// TestNoFalseAlarm starts voyages on a busy machine, cuts their ships off for a moment, kills helm, and stops helm as
// a sleeping laptop does. All of that mends itself: there is no need, and no bell rings.
func TestNoFalseAlarm(t *testing.T) {
	t.Parallel()
	c := newCaptain(t)
	for range 2 {
		busy := exec.Command("sh", "-c", "while :; do :; done")
		if err := busy.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = busy.Process.Kill(); _ = busy.Wait() })
	}
	watch, needs := c.watchNeeds(t)
	for n := range calmRounds {
		name := fmt.Sprint("calm-", n)
		d := c.sailGated(t, name, 2, gatedPlan(2))
		w := newDesk(t, c, 120, 40, d.ID())
		w.see("the voyage", has(name, "[4] ship-0", "at the gate of"))
		c.disturb(t, d, n, watch, w.cmd.Process.Pid)
		for _, task := range []string{"1", "2", "3"} {
			c.release(t, d, task)
		}
		c.complete(d)
		w.see("its end", top("complete"))
		w.leave(t)
		raw, _, _ := w.written()
		for _, called := range regexp.MustCompile(`\x1b\](9|99|777);[^\x07\x1b]*`).FindAll(raw, -1) {
			if !bytes.Contains(called, []byte("the voyage is complete")) {
				t.Errorf("voyage %d: the captain is called with %q", n, called)
			}
		}
		c.ocaptain("sink", d.ID(), "--force")
	}
	if said := needs(); said != "" {
		t.Errorf("it needs the captain:\n%s", said)
	}
}

// watchNeeds runs "ocaptain needs --watch"; said ends the command and returns its output.
func (c *captain) watchNeeds(t *testing.T) (pid int, said func() string) {
	var out bytes.Buffer
	cmd := exec.Command(c.program, "needs", "--watch", "--json")
	cmd.Env, cmd.Dir, cmd.Stdout, cmd.Stderr = c.env, c.home, &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	end := sync.OnceFunc(func() { _ = cmd.Process.Signal(syscall.SIGKILL); _ = cmd.Wait() })
	t.Cleanup(end)
	return cmd.Process.Pid, func() string { end(); return out.String() }
}

// disturb does one of the things to a voyage that happen to every captain, while other programs watch the voyage.
func (c *captain) disturb(t *testing.T, d fleet.Dir, n int, others ...int) {
	servers := c.servers(d)
	if len(servers) == 0 {
		t.Fatal("no ship has an SSH server")
	}
	switch n % 3 {
	case 0: // the links hang for longer than it takes to notice a dead link
		for _, pid := range servers {
			asleep(t, pid)
		}
		_ = retry.Sleep(t.Context(), 20*time.Second)
		for _, pid := range servers {
			_ = syscall.Kill(pid, syscall.SIGCONT)
		}
	case 1: // helm dies
		helm := c.helm()
		_ = syscall.Kill(helm, syscall.SIGKILL)
		c.until(d, "another helm", func(b fleet.Board) bool { return b.Helm != helm })
	default: // the laptop sleeps
		all := append(others, c.helm())
		for _, pid := range all {
			asleep(t, pid)
		}
		_ = retry.Sleep(t.Context(), 20*time.Second)
		for _, pid := range all {
			_ = syscall.Kill(pid, syscall.SIGCONT)
		}
	}
	c.until(d, "every ship is at work again", func(b fleet.Board) bool {
		for _, s := range b.Ships {
			if s.Status.Word == fleet.Unreachable {
				return false
			}
		}
		return true
	})
}

// servers are the SSH servers of a voyage's ships.
func (c *captain) servers(d fleet.Dir) (pids []int) {
	machines, _ := filepath.Glob(filepath.Join(c.hub.State, "ships", d.ID()+"-*"))
	for _, m := range machines {
		if pid := c.serverOf(filepath.Base(m)); pid != 0 {
			pids = append(pids, pid)
		}
	}
	return pids
}

// asleep stops a process, and returns when the process has stopped.
func asleep(t *testing.T, pid int) {
	t.Helper()
	if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	eventually.Holds(t, fmt.Sprintf("process %d stops", pid), func() bool {
		raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil {
			t.Fatal(err)
		}
		_, state, _ := strings.Cut(string(raw), ") ")
		return strings.HasPrefix(state, "T")
	})
}
