package helm

import (
	"io"
	"net"
	"net/http"
	"os"
	"syscall"

	"ocaptain/fleet/helm/api"
)

// If possible, helm passes a connection that it has dialled to the client as a file descriptor. Data that goes through
// helm would take a few percent longer, which the captain would feel at every key.

// passable detaches a connection from this process. It returns the file of its socket, and a function that ends the programs
// through which the connection goes.
func passable(far io.ReadWriteCloser) (file *os.File, end func(), ok bool) {
	switch c := far.(type) {
	case *net.UnixConn:
		f, err := c.File()
		if err != nil {
			return nil, nil, false
		}
		_ = c.Close()
		return f, func() {}, true
	case interface {
		Pass() (*os.File, func(), error)
	}:
		f, end, err := c.Pass()
		return f, end, err == nil
	}
	return nil, nil, false
}

// passConnection passes a connection to the client, and returns when the client no longer needs it.
func passConnection(w http.ResponseWriter, file *os.File, end func()) {
	defer end()
	defer file.Close()
	w.Header().Set("Connection", "Upgrade")
	w.Header().Set("Upgrade", "ssh")
	w.Header().Set(api.PassHeader, "true")
	w.WriteHeader(http.StatusSwitchingProtocols)
	conn, buf, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	defer conn.Close()
	near, ok := conn.(*net.UnixConn)
	if _, err := buf.ReadByte(); err != nil || !ok {
		return
	}
	if _, _, err := near.WriteMsgUnix([]byte{0}, syscall.UnixRights(int(file.Fd())), nil); err != nil {
		return
	}
	_ = file.Close() // so that the connection ends when the client closes it
	_, _ = io.Copy(io.Discard, near)
}
