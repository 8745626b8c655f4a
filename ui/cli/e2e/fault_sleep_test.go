package e2e

import (
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"

	"ocaptain/fleet"
)

// TestLaptopSleeps stops helm and the dashboard for longer than any silence is borne: when they
// go on, no task has been taken back, and nobody was called dead for the time asleep.
func TestLaptopSleeps(t *testing.T) {
	t.Parallel()
	c := newCaptain(t)
	c.write(".config/ocaptain/config.yaml", "reclaim: 2s\n")
	d := c.sailGated(t, "asleep", 2, gatedPlan(2))
	w := newWindow(t, c, 120, 40)
	w.run(c.program)
	w.see("the dashboard", has("[4] ship-0", "● live", "at the gate of", "● helm"))
	helm := c.helm()
	laptop := []int{helm}
	for _, p := range processes(c.home) {
		pid, command, _ := strings.Cut(p, " ")
		if n := 0; strings.TrimSpace(command) == c.program {
			_, _ = fmt.Sscan(pid, &n)
			laptop = append(laptop, n)
		}
	}
	if len(laptop) != 2 {
		t.Fatalf("helm and dashboard are %d", laptop)
	}
	tell := func(s syscall.Signal) {
		t.Helper()
		for _, pid := range laptop {
			if err := syscall.Kill(pid, s); err != nil {
				t.Fatal(err)
			}
		}
	}
	before := c.until(d, "the board", patience, func(fleet.Board) bool { return true })
	tell(syscall.SIGSTOP)
	time.Sleep(17 * time.Second) // the sleep; a connection is dead after 15 s of silence
	tell(syscall.SIGCONT)

	awake := time.Now()
	boards := 0
	for last := before.At; time.Since(awake) < 4*time.Second; time.Sleep(10 * time.Millisecond) { // whatever is to be seen in this time is
		b, err := fleet.LoadBoard(d)
		if err != nil || !b.At.After(last) {
			continue
		}
		last = b.At
		boards++
		for i, s := range b.Ships {
			if was := before.Ships[i]; s.Status.Word != fleet.Working || s.Task != was.Task {
				t.Errorf("%s after the sleep: %s is %s (%s) with task %q", b.At.Sub(awake), s.Name, s.Status.Word, s.Status.Reason, s.Task)
			}
		}
		if text := w.look().text; strings.Contains(text, "helm is gone") || strings.Contains(text, "unreachable") {
			t.Errorf("the dashboard shows\n%s", text)
		}
	}
	if now := c.helm(); boards == 0 || now != helm {
		t.Errorf("%d boards; helm was process %d, is %d", boards, helm, now)
	}
	for _, task := range []string{"1", "2", "3"} {
		c.release(t, d, task)
	}
	board := c.complete(d, time.Minute)
	for i := range board.Tasks {
		if s := &board.Tasks[i]; s.Epoch != 1 {
			t.Errorf("task %s was claimed %d times", s.ID, s.Epoch)
		}
	}
}
