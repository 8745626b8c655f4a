package tailnet

import (
	"errors"
	"net"
)

// ownConn is a connection that keeps its node in the tailnet.
type ownConn struct {
	net.Conn
	release func()
}

func (c *ownConn) Close() error {
	defer c.release()
	return c.Conn.Close()
}

// CloseWrite tells the other side that no more is said.
func (c *ownConn) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return errors.ErrUnsupported
}
