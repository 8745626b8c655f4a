package openssh

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"syscall"
)

// Through connects to the SSH server of a place without logging in there; it logs in only to the jump hosts that
// ~/.ssh/config names. If there are none, it calls dial. Errors are as in Connect.
func (c *Captain) Through(ctx context.Context, p Place, dial func(ctx context.Context, addr string) (net.Conn, error)) (net.Conn, error) {
	w, err := c.cachedWay(ctx, p)
	switch {
	case err != nil:
		return nil, err
	case w.direct():
		conn, err := dial(ctx, w.address())
		if err != nil {
			return nil, DownError(ctx, p, err)
		}
		return conn, nil
	case w.command != "":
		return c.connectPipe(ctx, p, []string{"/bin/sh", "-c", "exec " + w.expand(w.command, p)})
	}
	options := []string{"-o", "ControlMaster=no", "-o", "ControlPath=none", "-W", w.address()}
	last := w.jump
	if i := strings.LastIndexByte(w.jump, ','); i >= 0 {
		options, last = append(options, "-J", w.jump[:i]), w.jump[i+1:]
	}
	jump, err := Parse(strings.TrimPrefix(last, "ssh://"))
	if err != nil {
		return nil, fmt.Errorf("host %s: ProxyJump %q in ~/.ssh/config %w", p, last, err)
	}
	conn, err := c.connectPipe(ctx, jump, c.loginArgv(jump, options...))
	if err != nil {
		return nil, fmt.Errorf("on the way to host %s: %w", p, err)
	}
	return conn, nil
}

// expand replaces what ssh replaces in a ProxyCommand.
func (w way) expand(command string, p Place) string {
	return strings.NewReplacer("%%", "%", "%h", w.host, "%n", p.Host, "%p", w.port, "%r", w.user).Replace(command)
}

// connectPipe returns a connection that is the input and output of a program.
func (c *Captain) connectPipe(ctx context.Context, p Place, argv []string) (net.Conn, error) {
	leave, err := c.awaitTurn(ctx, p)
	if err != nil {
		return nil, err
	}
	defer leave()
	near, far, err := socketPair()
	if err != nil {
		return nil, err
	}
	started, err := c.start(context.WithoutCancel(ctx), argv, far, far)
	far.Close()
	if err != nil {
		near.Close()
		return nil, err
	}
	conn := &tunnel{near, func() error { started.endGroup(); return nil }}
	if err = greets(ctx, near, c.patience()); err == nil {
		return conn, nil
	}
	if errors.Is(err, ErrNoServer) {
		<-started.done // started.err says why
		err = c.failure(ctx, p, started)
	} else {
		err = DownError(ctx, p, err)
	}
	conn.Close()
	return nil, err
}

// socketPair returns the two ends of a connection, the second for a program.
func socketPair() (*net.UnixConn, *os.File, error) {
	syscall.ForkLock.RLock()
	fds, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err == nil {
		syscall.CloseOnExec(fds[0])
		syscall.CloseOnExec(fds[1])
	}
	syscall.ForkLock.RUnlock()
	if err != nil {
		return nil, nil, err
	}
	near, far := os.NewFile(uintptr(fds[0]), "near"), os.NewFile(uintptr(fds[1]), "far")
	defer near.Close()
	conn, err := net.FileConn(near)
	if err != nil {
		far.Close()
		return nil, nil, err
	}
	return conn.(*net.UnixConn), far, nil
}
