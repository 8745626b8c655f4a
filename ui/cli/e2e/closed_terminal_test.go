//go:build long

package e2e

import (
	"io"
	"os/exec"
	"slices"
	"syscall"
	"testing"

	"github.com/creack/pty"

	"ocaptain/fleet"
	"ocaptain/tasks/eventually"
)

// TestClosedTerminal closes the terminal of a "sail" while ships are provisioned, and in another run kills the
// command. Neither takes the voyage back: it goes on, completes, and can be watched.
func TestClosedTerminal(t *testing.T) {
	t.Parallel()
	c := newCaptain(t)
	plan := c.plan("small", "", "#!/bin/bash\n", gatedPlan(2))
	for name, end := range map[string]func(*exec.Cmd, io.Closer){
		"closed": func(_ *exec.Cmd, terminal io.Closer) { _ = terminal.Close() },
		"killed": func(cmd *exec.Cmd, _ io.Closer) { _ = cmd.Process.Signal(syscall.SIGKILL) },
	} {
		before := c.voyages()
		cmd := exec.Command(c.program, "sail", plan, "-n", "2", "--agent", "script", "--provider", "local")
		cmd.Env, cmd.Dir = c.env, c.home
		terminal, err := pty.StartWithSize(cmd, &pty.Winsize{Cols: 100, Rows: 30})
		if err != nil {
			t.Fatal(err)
		}
		go func() { _, _ = io.Copy(io.Discard, terminal) }()
		eventually.Holds(t, "its ships are fitted out", func() bool { return c.begins("reach", before) })
		end(cmd, terminal)
		_ = cmd.Wait()
		_ = terminal.Close()
		now := c.voyages()
		if len(now) != len(before)+1 {
			t.Fatalf("%s: there are %d voyages", name, len(now))
		}
		for _, d := range now {
			if slices.Contains(before, d) {
				continue
			}
			c.until(d, "both ships at work, and looked at", func(b fleet.Board) bool {
				_, working, _ := b.CountTasks()
				return working == 2 && len(c.scan.unseen(b)) == 0
			})
			for _, task := range []string{"1", "2", "3"} {
				c.release(t, d, task)
			}
			c.complete(d)
		}
	}
	c.ocaptain("sink", "--all", "-f")
}
