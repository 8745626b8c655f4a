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

// Conn is a connection to a place that several commands share.
type Conn struct {
	captain *Captain
	place   Place
	socket  string
	master  *process // nil for a connection that outlives this process
	hold    *os.File // keeps it up: it ends with its input, and so with this process
	once    sync.Once
}

// holder tells that somebody is logged in, and stays until its input ends.
const holder = "exec /bin/sh -c 'echo; exec cat >/dev/null'"

// Connect logs in to a place. A host that cannot be reached now is a *provider.Temporary error, a
// host that accepts no key of the captain's a *Denied, a host with a wrong host key a
// *HostKeyError.
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

// firstWord tells when something is printed.
type firstWord struct {
	came chan struct{}
	once sync.Once
}

func (f *firstWord) Write(p []byte) (int, error) {
	f.once.Do(func() { close(f.came) })
	return len(p), nil
}

// Close ends the connection and everything in it.
func (c *Conn) Close() error {
	c.once.Do(func() {
		c.hold.Close()
		c.master.endGroup()
		_ = os.Remove(c.socket)
	})
	return nil
}

// shares is a command that runs in the connection. Without the connection it fails.
func (c *Conn) shares(args ...string) []string {
	argv := []string{"ssh", "-F", "none", "-T", "-o", "BatchMode=yes", "-o", "ProxyCommand=false", "-S", c.socket}
	return append(append(argv, args...), "--", c.place.Host)
}

// Run runs a command to its end and returns what it said beside its output. When the command fails, the error has an
// *exec.ExitError in it.
func (c *Conn) Run(ctx context.Context, command string, in io.Reader, out io.Writer) (errs string, err error) {
	return c.captain.run(ctx, c.place, append(c.shares(), command), in, out)
}

// Dial connects with who listens at a Unix socket there, and speaks first. It is the last thing to do in a connection,
// which ends with what Dial returns, or now when that fails.
func (c *Conn) Dial(ctx context.Context, socket string) (net.Conn, error) {
	conn, err := c.forward(ctx, socket, nil)
	if err != nil {
		return nil, err
	}
	c.hold.Close()
	return &tunnel{conn, c.Close}, nil
}

// Ask sends a request to the server at a Unix socket of the host, and returns once the server answers. It is the last thing to do in a
// connection.
func (c *Conn) Ask(ctx context.Context, socket string, say []byte) error {
	conn, err := c.forward(ctx, socket, say)
	if err == nil {
		conn.Close()
	}
	return err
}

// forward connects with the server at a socket of the host, sends it a request, and waits for the first byte of the answer.
func (c *Conn) forward(ctx context.Context, socket string, say []byte) (*net.UnixConn, error) {
	// ssh replaces what begins with these, by values of this machine too.
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
	_, _ = conn.Write(say) // greets tells when that failed
	if err := greets(ctx, conn, c.captain.patience()); err != nil {
		conn.Close()
		c.Close() // then it has said all
		return nil, DownError(ctx, c.place, fmt.Errorf("%w: %s", err, ShortLine(c.master.errs.String())))
	}
	return conn, nil
}

// tunnel is a connection through programs, which end with it.
type tunnel struct {
	*net.UnixConn
	end func() error
}

func (t *tunnel) Close() error { return errors.Join(t.UnixConn.Close(), t.end()) }

// Pass takes the connection out of this process: its socket's file, and what ends the programs.
func (t *tunnel) Pass() (*os.File, func(), error) {
	file, err := t.File()
	if err != nil {
		return nil, nil, err
	}
	_ = t.UnixConn.Close()
	return file, func() { _ = t.end() }, nil
}

// greets waits until the other side says something, which stays to be read.
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
	case err == nil && (failed == nil && n == 0 || errors.Is(failed, syscall.ECONNRESET)): // reset by a side that has not read all
		return ErrNoServer
	case err != nil || failed != nil:
		return errors.Join(err, failed)
	}
	return nil
}

// ErrNoServer says that a connection to a socket of the host ended at once: no server listens at the socket, or the host's sshd forwards no sockets.
var ErrNoServer = errors.New("no server answers there")
