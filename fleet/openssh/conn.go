package openssh

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"
	"unicode"

	"ocaptain/fleet/retry"
)

// Conn is a connection to a host that several commands share.
type Conn struct {
	captain *Captain
	place   Place
	socket  string
	master  *process // the ssh that holds the connection; nil if it outlives this process
	hold    *os.File // the input of that ssh: when it is closed, as at the end of this process, the connection ends
	once    sync.Once
}

// holder is a command that prints a line once somebody is logged in, and runs until its input ends.
const holder = "exec /bin/sh -c 'echo; exec cat >/dev/null'"

// Connect logs in to a place. The error is a *provider.Temporary for a host that is out of reach, a *Denied for one
// that accepts none of the captain's keys, and a *HostKeyError for one with a wrong host key.
func (c *Captain) Connect(ctx context.Context, p Place) (*Conn, error) {
	leave, err := c.awaitTurn(ctx, p)
	if err != nil {
		return nil, err
	}
	defer leave()
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	in := &firstWord{came: make(chan struct{})}
	conn := &Conn{captain: c, place: p, hold: w, socket: filepath.Join(c.Runtime, "ssh-"+rand.Text()[:8])}
	argv := append(c.loginArgv(p, "-M", "-S", conn.socket, "-o", "ControlPersist=no"), holder)
	if conn.master, err = c.start(context.WithoutCancel(ctx), argv, r, in); err != nil {
		w.Close()
		return nil, err
	}
	late := time.NewTimer(c.patience())
	defer late.Stop()
	select {
	case <-in.came:
		return conn, nil
	case <-conn.master.done:
		err = c.failure(ctx, p, conn.master)
	case <-ctx.Done():
		err = DownError(ctx, p, context.Cause(ctx))
	case <-late.C:
		err = DownError(ctx, p, retry.Late(c.patience()))
	}
	conn.Close()
	return nil, err
}

// firstWord is a writer that signals its first write.
type firstWord struct {
	came chan struct{}
	once sync.Once
}

func (f *firstWord) Write(p []byte) (int, error) {
	f.once.Do(func() { close(f.came) })
	return len(p), nil
}

// Close ends the connection and everything that runs in it.
func (c *Conn) Close() error {
	c.once.Do(func() {
		c.hold.Close()
		c.master.endGroup()
		_ = os.Remove(c.socket)
	})
	return nil
}

// shares returns an ssh command that uses the connection. It fails if the connection is gone.
func (c *Conn) shares(args ...string) []string {
	argv := []string{"ssh", "-F", "none", "-T", "-o", "BatchMode=yes", "-o", "ProxyCommand=false", "-S", c.socket}
	return append(append(argv, args...), "--", c.place.Host)
}

// Run runs a command to its end and returns its standard error. If the command fails, the error wraps an
// *exec.ExitError.
func (c *Conn) Run(ctx context.Context, command string, in io.Reader, out io.Writer) (errs string, err error) {
	return c.captain.run(ctx, c.place, append(c.shares(), command), in, out)
}

// Dial connects to the server at a Unix socket of the host, which has to speak first. It must be the last use of the
// connection, which ends together with the returned one, or at once if Dial fails.
func (c *Conn) Dial(ctx context.Context, socket string) (net.Conn, error) {
	conn, err := c.forward(ctx, socket, nil)
	if err != nil {
		return nil, err
	}
	c.hold.Close()
	return &tunnel{conn, c.Close}, nil
}

// Ask sends a request to the server at a Unix socket of the host, and returns once the server answers. It must be the last use of the
// connection.
func (c *Conn) Ask(ctx context.Context, socket string, say []byte) error {
	conn, err := c.forward(ctx, socket, say)
	if err == nil {
		conn.Close()
	}
	return err
}

// forward connects to the server at a socket of the host, sends it a request, and waits for the first byte of the answer.
func (c *Conn) forward(ctx context.Context, socket string, say []byte) (*net.UnixConn, error) {
	// ssh expands names that contain these characters, with values of this machine too.
	if !filepath.IsAbs(socket) || strings.ContainsAny(socket, `:%$\"'[]`) || strings.ContainsFunc(socket, func(r rune) bool { return !unicode.IsGraphic(r) || unicode.IsSpace(r) }) {
		return nil, fmt.Errorf("host %s: no socket can be at %.200q", c.place, socket)
	}
	here := c.socket + ".s"
	defer os.Remove(here)
	if _, err := c.captain.run(ctx, c.place, c.shares("-O", "forward", "-L", here+":"+socket), nil, io.Discard); err != nil {
		return nil, err
	}
	raw, err := new(net.Dialer).DialContext(ctx, "unix", here)
	if err != nil {
		return nil, DownError(ctx, c.place, err)
	}
	conn := raw.(*net.UnixConn)
	_, _ = conn.Write(say) // if this fails, greets returns the error
	if err := greets(ctx, conn, c.captain.patience()); err != nil {
		conn.Close()
		c.Close() // the host has sent everything by then
		return nil, DownError(ctx, c.place, fmt.Errorf("%w: %s", err, ShortLine(c.master.errs.String())))
	}
	return conn, nil
}

// tunnel is a connection through programs, which end when it is closed.
type tunnel struct {
	*net.UnixConn
	end func() error
}

func (t *tunnel) Close() error { return errors.Join(t.UnixConn.Close(), t.end()) }

// Pass detaches the connection from this process. It returns the file of its socket, and a function that ends the
// programs.
func (t *tunnel) Pass() (*os.File, func(), error) {
	file, err := t.File()
	if err != nil {
		return nil, nil, err
	}
	_ = t.UnixConn.Close()
	return file, func() { _ = t.end() }, nil
}

// greets waits until the other side has sent something, and leaves that unread.
func greets(ctx context.Context, conn *net.UnixConn, patience time.Duration) error {
	late := time.AfterFunc(patience, func() { _ = conn.SetReadDeadline(time.Unix(1, 0)) })
	defer late.Stop()
	defer context.AfterFunc(ctx, func() { _ = conn.SetReadDeadline(time.Unix(1, 0)) })()
	raw, err := conn.SyscallConn()
	if err != nil {
		return err
	}
	var n int
	var failed error
	err = raw.Read(func(fd uintptr) bool {
		n, _, failed = syscall.Recvfrom(int(fd), make([]byte, 1), syscall.MSG_PEEK)
		return !errors.Is(failed, syscall.EAGAIN) && !errors.Is(failed, syscall.EINTR)
	})
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err == nil && (failed == nil && n == 0 || errors.Is(failed, syscall.ECONNRESET)): // reset by a side that has not read everything
		return ErrNoServer
	case err != nil || failed != nil:
		return errors.Join(err, failed)
	}
	return nil
}

// ErrNoServer means that a connection to a socket of the host ended at once: no server listens there, or the host's sshd does not forward
// sockets.
var ErrNoServer = errors.New("no server answers there")
