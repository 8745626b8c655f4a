package local

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"ocaptain/fleet/aboard/sshd"
	"ocaptain/fleet/process"
	"ocaptain/fleet/provider/local/sandbox"
)

// start starts the ship's SSH server, detached from this process, and returns once it answers.
//
// A ship that cannot have its own network shares this machine's, unless it had its own before.
func (p *Provider) start(ctx context.Context, r *record) error {
	box, err := p.wall(ctx, r)
	if err != nil {
		return err
	}
	at := p.dirs.place(r).Place
	if err := p.user(r, box != nil).TakeOver(at); err != nil {
		return err
	}
	if box == nil {
		return p.launch(ctx, r, nil, nil)
	}
	own, err := p.options.network(at, append([]string{p.options.Exe}, p.options.Args...))
	if err == nil {
		err = p.launch(ctx, r, box, own)
	}
	var none *sandbox.NoNetworkError
	if !errors.As(err, &none) || ctx.Err() != nil {
		return err
	}
	if r.Private {
		return fmt.Errorf("cannot give it a network of its own: %w", err)
	}
	r.Note = "shares this machine's network: " + none.Error()
	if !sshd.ScopesAbstract() {
		r.Note += "; the kernel keeps it from no abstract socket, either"
	}
	return p.launch(ctx, r, box, nil)
}

// launch runs the server in a sandbox and with a network of its own, if these are not nil.
//
// The server begins only when it gets its configuration, after its process was recorded, so that a crash in between
// leaves no unrecorded server.
func (p *Provider) launch(ctx context.Context, r *record, box *sandbox.Sandbox, own *sandbox.Network) error {
	at := p.dirs.place(r)
	most, err := p.options.bounds()
	if err != nil {
		return err
	}
	listener, err := listen(at.socket)
	if err != nil {
		return err
	}
	defer listener.Close()
	log, err := os.OpenFile(at.log, os.O_CREATE|os.O_WRONLY|os.O_TRUNC|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()

	cmd := exec.Command(p.options.Exe, p.options.Args...)
	cmd.ExtraFiles = []*os.File{listener}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	var confined *sandbox.Command
	if box != nil {
		argv := append([]string{sandbox.Program}, p.options.Args...)
		if confined, err = box.Command(context.WithoutCancel(ctx), own, argv, listener); err != nil {
			return err
		}
		defer confined.Close()
		cmd = confined.Cmd
	}
	cmd.Dir = at.Home
	cmd.Env = p.environ(r, box != nil)
	if p.user(r, box != nil) != p.captain {
		cmd.Env = append(cmd.Env, sshd.OwnHome+"=1")
	}
	cmd.Stderr = log
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	listener.Close() // the server has its own descriptor
	exited := make(chan struct{})
	go func() {
		_ = cmd.Wait()
		close(exited)
	}()
	if err = p.prepare(ctx, r, cmd, confined, own, most); err == nil {
		err = json.NewEncoder(stdin).Encode(serverConfig(r, box, own != nil, most))
	}
	stdin.Close()
	if err == nil {
		err = untilAnswers(ctx, at.socket, exited)
	}
	if err == nil {
		return nil
	}
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // both processes of bubblewrap
	r.Process.Kill()
	<-exited
	if said, _ := os.ReadFile(at.log); len(said) > 0 && ctx.Err() == nil {
		err = fmt.Errorf("%w: %s", err, strings.TrimSpace(string(said[:min(len(said), 500)])))
	}
	return err
}

// prepare records the process of a server that waits for its configuration, once its limits and its network are set
// up.
func (p *Provider) prepare(ctx context.Context, r *record, cmd *exec.Cmd, confined *sandbox.Command, own *sandbox.Network, most sandbox.Bounds) error {
	pid := cmd.Process.Pid
	if confined != nil {
		var err error
		if pid, err = confined.First(ctx); err != nil {
			return err
		}
	}
	r.Process = process.Identify(pid)
	if r.Confined = confined != nil; r.Confined {
		confined.BoundMemory(ctx, r.ID, most.Memory)
	}
	if own != nil {
		if err := confined.Connect(ctx); err != nil {
			return err
		}
		r.Private = true
	}
	return p.dirs.save(r)
}

func serverConfig(r *record, box *sandbox.Sandbox, own bool, most sandbox.Bounds) sshd.Config {
	c := sshd.Config{PrivateKey: r.PrivateKey, AuthorizedKey: r.AuthorizedKey, Adopt: !r.Confined, Scoped: r.Confined && !own}
	if r.Confined {
		c.Processes, c.Filter = most.Processes, box.Filter()
	}
	return c
}

// untilAnswers waits for the greeting of an SSH server, and fails if the server ends.
func untilAnswers(ctx context.Context, socket string, exited <-chan struct{}) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	done := make(chan error, 1)
	go func() { done <- answers(ctx, socket, time.Minute) }()
	select {
	case err := <-done:
		return err
	case <-exited:
		cancel()
		<-done //nolint:errcheck // only that it ended matters
		return errors.New("its SSH server ended")
	}
}

// answers checks that an SSH server sends its greeting at a socket.
func answers(ctx context.Context, socket string, within time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	conn, err := new(net.Dialer).DialContext(ctx, "unix", socket)
	if err != nil {
		return err
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { conn.Close() })()
	greeting := make([]byte, 8)
	if _, err := io.ReadFull(conn, greeting); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return fmt.Errorf("no answer from its SSH server: %w", err)
	}
	if string(greeting) != "SSH-2.0-" {
		return fmt.Errorf("not an SSH server at %s", socket)
	}
	return nil
}
