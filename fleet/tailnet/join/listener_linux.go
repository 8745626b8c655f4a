package join

import (
	"context"
	"errors"
	"net"

	"golang.org/x/sys/unix"
)

// listener returns the id of the process that listens at a Unix socket.
func listener(ctx context.Context, socket string) (int, error) {
	conn, err := new(net.Dialer).DialContext(ctx, "unix", socket)
	if err != nil {
		return 0, err
	}
	defer conn.Close()
	raw, err := conn.(*net.UnixConn).SyscallConn()
	if err != nil {
		return 0, err
	}
	var peer *unix.Ucred
	var errPeer error
	err = raw.Control(func(fd uintptr) { peer, errPeer = unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED) })
	if err := errors.Join(err, errPeer); err != nil {
		return 0, err
	}
	return int(peer.Pid), nil
}
