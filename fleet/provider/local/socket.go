package local

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
)

// maxSocket is the longest path of a socket in bytes. The kernel's own limit is 103 on macOS.
const maxSocket = 100

// listen opens the socket of a ship's server. It is in a directory that only the captain can enter and that the ship
// does not see, so that no other user can connect, and no ship can replace it. It removes a socket that an earlier
// server left behind; the caller holds the ship's lock.
func listen(socket string) (*os.File, error) {
	if len(socket) > maxSocket {
		return nil, fmt.Errorf("socket %s: the path has %d bytes, and %d are possible", socket, len(socket), maxSocket)
	}
	if err := os.Remove(socket); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: socket, Net: "unix"})
	if err != nil {
		return nil, err
	}
	defer l.Close()
	l.SetUnlinkOnClose(false) // the server goes on listening there
	return l.File()
}
