package run

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"syscall"

	"github.com/charmbracelet/x/term"
	"golang.org/x/sys/unix"
)

// terminal is the terminal of a runner, which gives it to the agent while the agent runs. Without a terminal, as in
// tests, it only starts processes.
type terminal struct {
	fd    int         // -1 without a terminal
	state *term.State // the terminal's state when the runner started
}

func openTerminal() *terminal {
	t := &terminal{fd: -1}
	if fd := int(os.Stdin.Fd()); term.IsTerminal(os.Stdin.Fd()) {
		t.fd = fd
		t.state, _ = term.GetState(os.Stdin.Fd())
	}
	return t
}

// startProcess starts a process in a process group of its own, in the terminal's foreground.
func (t *terminal) startProcess(cmd *exec.Cmd) error {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if t.fd >= 0 {
		cmd.SysProcAttr.Foreground = true
		cmd.SysProcAttr.Ctty = t.fd
	}
	return cmd.Start()
}

// takeBack makes the runner the terminal's foreground again after the process has ended, and restores the terminal's
// state.
func (t *terminal) takeBack() {
	if t.fd < 0 {
		return
	}
	// Taking the foreground from the background raises SIGTTOU, which would stop us.
	signal.Ignore(syscall.SIGTTOU)
	_ = unix.IoctlSetPointerInt(t.fd, unix.TIOCSPGRP, unix.Getpgrp())
	signal.Reset(syscall.SIGTTOU)
	if t.state != nil {
		_ = term.Restore(uintptr(t.fd), t.state)
	}
}

// resetModes turns off modes that a killed agent may have left on: the alternate screen, mouse reports, bracketed
// paste, key reports, a hidden cursor, colours.
func (t *terminal) resetModes() {
	if t.fd >= 0 {
		fmt.Fprint(os.Stdout, "\x1b[?1049l\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1006l\x1b[?2004l\x1b[?1004l\x1b[>4;0m\x1b[<u\x1b[?25h\x1b[0m")
	}
}

// runShell gives the terminal to a shell until the shell ends.
func (t *terminal) runShell(ctx context.Context) {
	if t.fd < 0 {
		return
	}
	program := os.Getenv("SHELL")
	if program == "" {
		program = "/bin/sh"
	}
	cmd := exec.Command(program)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	if t.startProcess(cmd) != nil {
		return
	}
	stop := context.AfterFunc(ctx, func() { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) })
	defer stop()
	_ = cmd.Wait()
	t.takeBack()
}
