package helm

import (
	"io"
	"net"
	"net/http"
	"os"
	"syscall"

	"ocaptain/fleet/helm/api"
)

// A connection that helm has dialled is passed to the client itself where that can be done: what goes through helm comes a
// few percent later, which the captain feels in every key.

// passable takes a connection out of this process: the file of its socket, and what ends the programs that it leads through.
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

// passConnection gives the client a connection, and returns when the client is done with it.
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
	_ = file.Close() // so that it ends when the client closes it
	_, _ = io.Copy(io.Discard, near)
}
