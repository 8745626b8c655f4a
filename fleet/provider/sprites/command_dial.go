package sprites

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strconv"
	"syscall"

	"ocaptain/fleet/aboard/sshd"
	"ocaptain/sync/bounded"
)

// dialByCommand is Dial without a token. The command does not say when it is connected, so wait for the first byte of
// the SSH server, which speaks first.
func (p *Provider) dialByCommand(ctx context.Context, c Credentials, name string) (net.Conn, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	said := bounded.NewOutput(stderrMax)
	conn, err := startPiped(said, func(ctx context.Context, dir string) *exec.Cmd {
		return c.command(ctx, dir, "proxy", "-s", name, "-W", net.JoinHostPort(sshd.StandingHost, strconv.Itoa(sshd.StandingPort)))
	})
	if err != nil {
		return nil, err
	}
	stop := context.AfterFunc(ctx, conn.cancel)
	first := make([]byte, 1)
	_, err = io.ReadFull(conn.Conn, first)
	if stop() && err == nil {
		conn.first = first
		return conn, nil
	}
	_ = conn.Close() // all that the command printed is there by then
	if ctx.Err() != nil {
		return nil, fmt.Errorf("sprites.dev: %w", ctx.Err())
	}
	return nil, p.unreached(ctx, name, unlike("proxy", errors.New("its SSH server does not answer"), said.Bytes()))
}

// startPiped starts a command, and returns its standard input and output as a connection.
func startPiped(said io.Writer, command func(ctx context.Context, dir string) *exec.Cmd) (*piped, error) {
	syscall.ForkLock.RLock()
	ends, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err == nil {
		syscall.CloseOnExec(ends[0])
		syscall.CloseOnExec(ends[1])
	}
	syscall.ForkLock.RUnlock()
	if err != nil {
		return nil, err
	}
	near, far := os.NewFile(uintptr(ends[0]), "near"), os.NewFile(uintptr(ends[1]), "far")
	defer near.Close()
	defer far.Close()
	scratch, err := os.MkdirTemp("", "ocaptain-sprite-")
	if err != nil {
		return nil, err
	}
	conn, err := net.FileConn(near)
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(scratch))
	}
	ctx, cancel := context.WithCancel(context.Background())
	cmd := command(ctx, scratch)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = far, far, said
	if err := cmd.Start(); err != nil {
		cancel()
		conn.Close()
		return nil, errors.Join(err, os.RemoveAll(scratch))
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = cmd.Wait() // the error is that of the connection
		_ = os.RemoveAll(scratch)
	}()
	return &piped{Conn: conn, cancel: cancel, ended: ended}, nil
}

// piped is a connection that a process carries.
type piped struct {
	net.Conn
	first  []byte // bytes that were already read
	cancel context.CancelFunc
	ended  <-chan struct{}
}

func (c *piped) Read(b []byte) (int, error) {
	if len(c.first) == 0 || len(b) == 0 {
		return c.Conn.Read(b)
	}
	n := copy(b, c.first)
	c.first = c.first[n:]
	return n, nil
}

func (c *piped) Close() error {
	err := c.Conn.Close()
	c.cancel()
	<-c.ended
	return err
}
