package sshd

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"

	"golang.org/x/crypto/ssh"

	"ocaptain/fleet/proto"
)

// session is one SSH session channel: requests that prepare a command, and then the command.
type session struct {
	server  *server
	channel ssh.Channel
	env     []string
	nests   bool
	term    *terminal // nil without a pty-req
	cmd     *exec.Cmd // nil before the command; without a Process if the command could not start
	gone    chan struct{}
}

// session serves one channel. It frees its place in room when the command has ended, and not when the client has
// left. OpenSSH does the same.
func (s *server) session(offered ssh.NewChannel, room <-chan struct{}) {
	channel, requests, err := offered.Accept()
	if err != nil {
		<-room
		return
	}
	sn := &session{server: s, channel: channel, gone: make(chan struct{})}
	for request := range requests {
		ok, then := sn.handle(request)
		if request.WantReply {
			_ = request.Reply(ok, nil)
		}
		if then != nil {
			go func() {
				defer func() { <-room }()
				then()
			}()
		}
	}
	close(sn.gone)
	if sn.cmd == nil {
		sn.term.close()
		<-room
	}
}

// handle does what a request asks for. It returns then, the function that runs the command after the reply.
func (sn *session) handle(request *ssh.Request) (ok bool, then func()) {
	switch request.Type {
	case "pty-req":
		if sn.term != nil || sn.cmd != nil {
			return false, nil
		}
		sn.term = openTerminal(request.Payload)
		return sn.term != nil, nil
	case "window-change":
		return sn.term.resize(request.Payload), nil
	case "env":
		var v struct{ Name, Value string }
		if ssh.Unmarshal(request.Payload, &v) == nil && v.Name == proto.Nests {
			sn.nests = true
			return true, nil
		}
		if ssh.Unmarshal(request.Payload, &v) != nil || !mayBeSet(v.Name) || len(sn.env) > 100 {
			return false, nil
		}
		sn.env = append(sn.env, v.Name+"="+v.Value)
		return true, nil
	case "exec", "shell":
		var line struct{ Command string }
		if sn.cmd != nil || request.Type == "exec" && ssh.Unmarshal(request.Payload, &line) != nil {
			return false, nil
		}
		return sn.start(line.Command)
	case "signal":
		var v struct{ Name string }
		sig, known := syscall.Signal(0), false
		if ssh.Unmarshal(request.Payload, &v) == nil {
			sig, known = signals[v.Name]
		}
		if !known || sn.cmd == nil || sn.cmd.Process == nil {
			return false, nil
		}
		return syscall.Kill(-sn.cmd.Process.Pid, sig) == nil, nil
	default:
		return false, nil
	}
}

// mayBeSet reports whether a client may set a variable: OpenSSH on Debian accepts it, or it is about colours.
func mayBeSet(name string) bool {
	return name == "LANG" || name == "COLORTERM" || strings.HasPrefix(name, "LC_") && len(name) < 64
}

// start starts a command line, or a shell if line is empty, in a new session.
func (sn *session) start(line string) (ok bool, then func()) {
	cmd := exec.Command("/bin/sh", "-c", line)
	if line == "" {
		cmd = exec.Command(loginShell())
	}
	cmd.Env = append(os.Environ(), sn.env...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if sn.term != nil {
		cmd.Env = append(cmd.Env, "TERM="+sn.term.kind)
		cmd.Stdin, cmd.Stdout, cmd.Stderr = sn.term.tty, sn.term.tty, sn.term.tty
		cmd.SysProcAttr.Setctty = true
		if err := sn.server.children.start(cmd, sn.nests); err != nil {
			return sn.refuse(cmd, err)
		}
		sn.cmd = cmd
		sn.term.tty.Close()
		return true, sn.onTerminal
	}
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return false, nil
	}
	cmd.Stdout, cmd.Stderr = sn.channel, sn.channel.Stderr()
	if err := sn.server.children.start(cmd, sn.nests); err != nil {
		return sn.refuse(cmd, err)
	}
	sn.cmd = cmd
	return true, func() { sn.onPipes(stdin) }
}

// refuse reports the error of a command that could not start. It tells the client why if the ship has as many
// processes as it may have.
func (sn *session) refuse(cmd *exec.Cmd, err error) (ok bool, then func()) {
	if !errors.Is(err, syscall.EAGAIN) {
		return false, nil
	}
	sn.cmd = cmd
	return true, func() {
		defer sn.channel.Close()
		_, _ = io.WriteString(sn.channel, "this ship has as many processes as it may have; end some, or set local.processes in config.yaml\n")
		_, _ = sn.channel.SendRequest("exit-status", false, ssh.Marshal(struct{ Code uint32 }{noProcess}))
		sn.term.close()
	}
}

// noProcess is the exit status of a command that could not start.
const noProcess = 126

// loginShell returns the shell of the user who logs in. SHELL may be unset, as whatever restarts programs on a
// machine need not set it.
func loginShell() string {
	for _, shell := range []string{os.Getenv("SHELL"), "/bin/bash"} {
		if _, err := exec.LookPath(shell); err == nil {
			return shell
		}
	}
	return "/bin/sh"
}

// onPipes waits until the command has ended and no process holds its output open. When the client leaves, the command
// notices only by its pipes.
func (sn *session) onPipes(stdin io.WriteCloser) {
	go func() {
		_, _ = io.Copy(stdin, sn.channel)
		stdin.Close()
	}()
	sn.reportExit(sn.server.children.wait(sn.cmd))
}

// onTerminal waits until the command has ended, or hangs it up when the client leaves.
func (sn *session) onTerminal() {
	printed := make(chan struct{})
	go func() {
		defer close(printed)
		sn.term.copyTo(sn.channel)
	}()
	go func() { _, _ = io.Copy(sn.term, sn.channel) }()
	ended := make(chan error, 1)
	go func() { ended <- sn.server.children.wait(sn.cmd) }()
	select {
	case err := <-ended:
		sn.term.finish()
		select {
		case <-printed:
		case <-sn.gone:
		}
		sn.reportExit(err)
		sn.term.close()
	case <-sn.gone:
		sn.term.close()
		<-ended //nolint:errcheck // only that it ended matters
	}
}

// reportExit tells the client how the command ended, and closes the channel.
func (sn *session) reportExit(err error) {
	defer sn.channel.Close()
	_ = sn.channel.CloseWrite()
	var failed *exec.ExitError
	if err == nil || !errors.As(err, &failed) {
		// Any other error comes from copying: the client has left.
		_, _ = sn.channel.SendRequest("exit-status", false, ssh.Marshal(struct{ Code uint32 }{0}))
		return
	}
	status, _ := failed.Sys().(syscall.WaitStatus)
	if !status.Signaled() {
		_, _ = sn.channel.SendRequest("exit-status", false, ssh.Marshal(struct{ Code uint32 }{uint32(failed.ExitCode())}))
		return
	}
	_, _ = sn.channel.SendRequest("exit-signal", false, ssh.Marshal(struct {
		Name     string
		Core     bool
		Message  string
		Language string
	}{Name: signalName(status.Signal()), Core: status.CoreDump()}))
}

var signals = map[string]syscall.Signal{
	"ABRT": syscall.SIGABRT, "ALRM": syscall.SIGALRM, "FPE": syscall.SIGFPE, "HUP": syscall.SIGHUP,
	"ILL": syscall.SIGILL, "INT": syscall.SIGINT, "KILL": syscall.SIGKILL, "PIPE": syscall.SIGPIPE,
	"QUIT": syscall.SIGQUIT, "SEGV": syscall.SIGSEGV, "TERM": syscall.SIGTERM,
	"USR1": syscall.SIGUSR1, "USR2": syscall.SIGUSR2,
}

func signalName(sig syscall.Signal) string {
	for name, known := range signals {
		if known == sig {
			return name
		}
	}
	return "TERM"
}
