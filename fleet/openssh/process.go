package openssh

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"syscall"
	"time"

	"ocaptain/sync/bounded"
)

// process is a running ssh and all processes that it has started.
type process struct {
	cmd     *exec.Cmd
	errs    *bounded.Output
	missing string        // why there is no agent, "" when there is one
	done    chan struct{} // closed when ssh has ended
	err     error         // how ssh ended; set before done is closed
}

var errNoSSH = errors.New("ssh is not installed here: install openssh-client")

// start runs a program without a terminal, so that it cannot ask questions. The program ends when ctx does.
func (c *Captain) start(ctx context.Context, argv []string, in *os.File, out io.Writer) (*process, error) {
	env, missing := c.environ(ctx)
	p := &process{errs: bounded.NewOutput(16 << 10), missing: missing, done: make(chan struct{})}
	p.cmd = exec.CommandContext(ctx, argv[0], argv[1:]...)
	p.cmd.Env, p.cmd.Stdout, p.cmd.Stderr = env, out, p.errs
	if in != nil {
		p.cmd.Stdin = in
	}
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	p.cmd.Cancel = func() error { return syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL) }
	p.cmd.WaitDelay = time.Second // a program of ~/.ssh/config may hold its output open
	if err := p.cmd.Start(); errors.Is(err, exec.ErrNotFound) {
		return nil, errNoSSH
	} else if err != nil {
		return nil, err
	}
	go func() {
		if p.err = p.cmd.Wait(); errors.Is(p.err, exec.ErrWaitDelay) {
			p.err = nil
		}
		close(p.done)
	}()
	return p, nil
}

// endGroup ends the process and all processes that it has started.
func (p *process) endGroup() {
	select {
	case <-p.done:
	default:
		_ = p.cmd.Cancel()
		<-p.done
	}
}

// failed reports whether ssh itself has failed. The command that it ran may have exited with the same code, 255.
func (p *process) failed() bool {
	var exit *exec.ExitError
	return p.err != nil && (!errors.As(p.err, &exit) || exit.ExitCode() == 255 || exit.ExitCode() < 0)
}

// inputPipe returns a pipe from which a program can read in.
func inputPipe(in io.Reader) (*os.File, error) {
	if in == nil {
		return nil, nil
	}
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	go func() { // in may have more data when the program has ended
		_, _ = io.Copy(w, in)
		w.Close()
	}()
	return r, nil
}

// run runs ssh to its end and returns its standard error. If a command on the host fails, the error wraps an
// *exec.ExitError; for a failed login it is as in Connect.
func (c *Captain) run(ctx context.Context, at Place, argv []string, in io.Reader, out io.Writer) (errs string, err error) {
	r, err := inputPipe(in)
	if err != nil {
		return "", err
	}
	p, err := c.start(ctx, argv, r, out)
	if r != nil {
		r.Close()
	}
	if err != nil {
		return "", err
	}
	<-p.done
	if p.failed() {
		return p.errs.String(), c.failure(ctx, at, p)
	}
	return p.errs.String(), p.err
}
