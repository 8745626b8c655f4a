package api

import (
	"errors"
	"net"
	"os"
	"syscall"
)

// PassHeader is the header of a connection that helm passes once the client has sent a byte.
const PassHeader = "Ocaptain-Passes"

// passed is a connection that helm has passed to this process.
type passed struct {
	*net.UnixConn
	helm net.Conn // when it is closed, helm knows that the connection is no longer needed
}

func (p *passed) Close() error { return errors.Join(p.UnixConn.Close(), p.helm.Close()) }

// takePassed receives a connection from helm.
func takePassed(helm net.Conn) (net.Conn, error) {
	near, ok := helm.(*net.UnixConn)
	if !ok {
		return nil, errors.ErrUnsupported
	}
	if _, err := near.Write([]byte{0}); err != nil {
		return nil, err
	}
	space := make([]byte, syscall.CmsgSpace(4))
	_, n, _, _, err := near.ReadMsgUnix(make([]byte, 1), space)
	if err != nil {
		return nil, err
	}
	messages, err := syscall.ParseSocketControlMessage(space[:n])
	if err != nil || len(messages) != 1 {
		return nil, errors.Join(errors.New("helm passed no connection"), err)
	}
	fds, err := syscall.ParseUnixRights(&messages[0])
	if err != nil || len(fds) != 1 {
		return nil, errors.Join(errors.New("helm passed no connection"), err)
	}
	file := os.NewFile(uintptr(fds[0]), "ship")
	defer file.Close()
	conn, err := net.FileConn(file)
	if err != nil {
		return nil, err
	}
	far, ok := conn.(*net.UnixConn)
	if !ok {
		_ = conn.Close()
		return nil, errors.New("helm passed another kind of connection")
	}
	return &passed{far, helm}, nil
}
