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
)

// start runs the ship's SSH server, detached from this process, and returns when it answers.
//
// A ship that can have no network of its own shares this machine's, unless it had one before.
func (p *Provider) start(ctx context.Context, r *record) error {
	wall, err := p.wall(ctx, r)
	if err != nil {
		return err
	}
	if err := p.account(r, wall != nil).own(p.place(r)); err != nil {
		return err
	}
	if wall == nil {
		return p.launch(ctx, r, nil, nil)
	}
	own, err := p.newNetwork(p.place(r))
	if err == nil {
		err = p.launch(ctx, r, wall, own)
	}
	var shared *sharedError
	if !errors.As(err, &shared) || ctx.Err() != nil {
		return err
	}
	if r.Private {
		return fmt.Errorf("cannot give it a network of its own: %w", err)
	}
	r.shared(shared.why)
	return p.launch(ctx, r, wall, nil)
}

// launch runs the server behind a wall and on a network of its own, where they are not nil.
//
// The server begins only when it is told its configuration, and that happens after its process
// has been recorded: a crash in between leaves no server that nobody knows of.
func (p *Provider) launch(ctx context.Context, r *record, wall *wall, own *network) error {
	at := p.place(r)
	most, err := p.bounds()
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

	argv := append([]string{p.options.Exe}, p.options.Args...)
	var info *os.File // tells the id of the process behind the wall
	files := []*os.File{listener}
	if wall != nil {
		var told *os.File
		if info, told, err = infoPipe(); err != nil {
			return err
		}
		defer info.Close()
		defer told.Close()
		files = append(files, told) // descriptor 4
	}
	var life *os.File // read by what carries the ship's network, and held open by the ship
	if own != nil {
		var held *os.File
		if life, held, err = os.Pipe(); err != nil {
			return err
		}
		defer life.Close()
		defer held.Close()
		files = append(files, held) // descriptor 5
	}
	if wall != nil {
		filter, err := keysFilter()
		if err != nil {
			return err
		}
		files = append(files, filter)
		argv = wall.argv(2+len(files), append(own.arguments(), "--info-fd", "4"), append([]string{wall.exe}, p.options.Args...))
	}
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir = at.home
	cmd.Env = p.environ(r, wall != nil)
	if p.account(r, wall != nil).uid != os.Getuid() {
		cmd.Env = append(cmd.Env, sshd.OwnHome+"=1")
	}
	cmd.Stderr = log
	cmd.ExtraFiles = files
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	exited := make(chan struct{})
	go func() {
		_ = cmd.Wait()
		close(exited)
	}()
	err = func() error {
		for _, f := range files {
			f.Close()
		}
		pid := cmd.Process.Pid
		if info != nil {
			if pid, err = childPid(ctx, info); err != nil {
				return err
			}
		}
		r.Process = process.Identify(pid)
		if r.Confined = wall != nil; r.Confined {
			p.hold(ctx, r, cmd.Process.Pid, pid, most)
		}
		if own != nil {
			if err := own.connect(ctx, pid, life); err != nil {
				return &sharedError{err}
			}
			r.Private = true
		}
		if err := p.save(r); err != nil {
			return err
		}
		if err := json.NewEncoder(stdin).Encode(p.serverConfig(r, own != nil, most)); err != nil {
			return err
		}
		stdin.Close()
		return untilAnswers(ctx, at.socket, exited)
	}()
	if err == nil {
		return nil
	}
	stdin.Close()
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // both processes of bubblewrap
	r.Process.Kill()
	<-exited
	if said, _ := os.ReadFile(at.log); len(said) > 0 && ctx.Err() == nil {
		err = fmt.Errorf("%w: %s", err, strings.TrimSpace(string(said[:min(len(said), 500)])))
	}
	return err
}

func (p *Provider) serverConfig(r *record, own bool, most Bounds) sshd.Config {
	c := sshd.Config{PrivateKey: r.PrivateKey, AuthorizedKey: r.AuthorizedKey, Adopt: !r.Confined, Scoped: r.Confined && !own}
	if r.Confined {
		c.Processes = most.Processes
	}
	return c
}

// infoPipe is the pipe on which bubblewrap tells of the process behind the wall. Its end can read too: with
// nobody left to read, what it tells would kill bubblewrap, and the other process waits for it for ever.
func infoPipe() (info, told *os.File, err error) {
	info, write, err := os.Pipe()
	if err != nil {
		return nil, nil, err
	}
	defer write.Close()
	told, err = os.OpenFile(fmt.Sprintf("/proc/self/fd/%d", write.Fd()), os.O_RDWR, 0)
	if err != nil {
		info.Close()
		return nil, nil, err
	}
	return info, told, nil
}

// childPid reads what bubblewrap tells of the process behind the wall.
func childPid(ctx context.Context, info *os.File) (int, error) {
	defer context.AfterFunc(ctx, func() { info.Close() })()
	var told struct {
		Pid int `json:"child-pid"`
	}
	if err := json.NewDecoder(info).Decode(&told); err != nil || told.Pid <= 1 {
		if ctx.Err() != nil {
			return 0, ctx.Err()
		}
		return 0, errors.New("bubblewrap failed")
	}
	return told.Pid, nil
}

// untilAnswers waits for the greeting of an SSH server, as long as it lives.
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

// answers checks that an SSH server greets at a socket.
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
