//go:build long

package e2e

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/proctest"
	"ocaptain/tasks/eventually"
)

// TestLaptopSleeps stops helm and the dashboard for longer than any allowed silence: when they go on, helm requeues
// no task, and calls no ship dead for the time asleep.
func TestLaptopSleeps(t *testing.T) {
	t.Parallel()
	c := newCaptain(t)
	c.write(".config/ocaptain/config.yaml", "reclaim: 2s\n")
	d := c.sailGated(t, "asleep", 2, gatedPlan(2))
	w := newWindow(t, c, 120, 40)
	w.run(c.program)
	w.see("the dashboard", has("[4] ship-0", "● live", "at the gate of", "● helm"))
	helm, dashboard := c.helm(), 0
	for _, p := range proctest.With(c.home) {
		if pid, command, _ := strings.Cut(p, " "); strings.TrimSpace(command) == c.program {
			_, _ = fmt.Sscan(pid, &dashboard)
		}
	}
	// The terminal sleeps too; otherwise it would continue stopped programs.
	laptop := []int{0, 0, dashboard, helm}
	_, _ = fmt.Sscan(w.tmux("display-message", "-p", "-t", "w:", "#{pid} #{pane_pid}"), &laptop[0], &laptop[1])
	if slices.Contains(laptop, 0) {
		t.Fatalf("terminal, shell, dashboard and helm are %d", laptop)
	}
	// The links to the ships are silent during the sleep, and a little longer.
	for _, p := range proctest.With(filepath.Join(c.hub.State, "ships")) {
		if pid, command, _ := strings.Cut(p, " "); strings.Contains(command, " aboard sshd") {
			n := 0
			_, _ = fmt.Sscan(pid, &n)
			laptop = slices.Insert(laptop, 0, n)
		}
	}
	if len(laptop) < 6 {
		t.Fatalf("ships, terminal, shell, dashboard and helm are %d", laptop)
	}
	before := c.until(d, "the board", func(fleet.Board) bool { return true })
	for _, pid := range laptop {
		asleep(t, pid)
	}
	time.Sleep(17 * time.Second) // the sleep; a connection is dead after 15 s of silence
	for _, pid := range slices.Backward(laptop) {
		if err := syscall.Kill(pid, syscall.SIGCONT); err != nil {
			t.Fatal(err)
		}
	}

	awake := time.Now()
	eventually.Holds(t, "each ship has been heard of since", func() bool {
		b, err := fleet.LoadBoard(d)
		if err != nil || !b.At.After(awake) {
			return false
		}
		heard := 0
		for i, s := range b.Ships {
			if s.Status.SeenAt.After(awake) {
				heard++
			}
			if was := before.Ships[i]; s.Status.Word != fleet.Working || s.Task != was.Task {
				t.Errorf("%s after the sleep: %s is %s (%s) with task %q", b.At.Sub(awake), s.Name, s.Status.Word, s.Status.Reason, s.Task)
			}
		}
		if text := w.look().text; strings.Contains(text, "helm is gone") || strings.Contains(text, "unreachable") {
			t.Errorf("the dashboard shows\n%s", text)
		}
		return heard == len(b.Ships)
	})
	if now := c.helm(); now != helm {
		t.Errorf("helm was process %d, is %d", helm, now)
	}
	for _, task := range []string{"1", "2", "3"} {
		c.release(t, d, task)
	}
	board := c.complete(d)
	for i := range board.Tasks {
		if s := &board.Tasks[i]; s.Epoch != 1 {
			t.Errorf("task %s was claimed %d times", s.ID, s.Epoch)
		}
	}
}
