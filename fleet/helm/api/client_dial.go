package api

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// WholeHeader is the header of a connection that has no half-close: it ends for both sides at once.
const WholeHeader = "Ocaptain-Whole"

// Dial returns a connection to a ship's SSH server, dialled by helm.
func (c *Client) Dial(ctx context.Context, voyage, ship string) (net.Conn, error) {
	return c.upgrade(ctx, ship, "/v1/voyages/"+voyage+"/ships/"+ship+"/dial")
}

// DialNet returns a connection to a port of any node of the captain's tailnet, by name or address, dialled by helm.
// If the way there supports a half-close, the connection has a CloseWrite.
func (c *Client) DialNet(ctx context.Context, host string, port int) (net.Conn, error) {
	return c.upgrade(ctx, host, "/v1/tailnet/"+url.PathEscape(host)+"/"+strconv.Itoa(port)+"/dial")
}

// upgrade makes a request and turns its connection into one to the target, which errors call name.
func (c *caller) upgrade(ctx context.Context, name, path string) (net.Conn, error) {
	var d net.Dialer
	conn, err := d.DialContext(ctx, "unix", c.socket)
	if err != nil {
		return nil, unreachable(err)
	}
	stop := context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) })
	defer stop()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://helm"+path, nil)
	if err == nil {
		req.Header.Set("Connection", "Upgrade")
		req.Header.Set("Upgrade", "ssh")
		err = req.Write(conn)
	}
	if err != nil {
		_ = conn.Close()
		return nil, err
	}
	buf := bufio.NewReader(conn)
	resp, err := http.ReadResponse(buf, req)
	if err == nil && resp.StatusCode != http.StatusSwitchingProtocols {
		err = readError(resp)
		_ = resp.Body.Close()
	}
	if err != nil {
		_ = conn.Close()
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if resp.Header.Get(PassHeader) != "" {
		got, err := takePassed(conn)
		if err != nil {
			_ = conn.Close()
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		return got, nil
	}
	if resp.Header.Get(WholeHeader) != "" {
		return &undivided{&Buffered{conn, buf}}, nil
	}
	return &Buffered{conn, buf}, nil
}

// undivided is a connection without a half-close, and so without CloseWrite.
type undivided struct{ net.Conn }

// Buffered is a connection whose first bytes may already be in a buffer.
type Buffered struct {
	net.Conn
	Buffer *bufio.Reader
}

func (u *Buffered) Read(p []byte) (int, error) { return u.Buffer.Read(p) }

// CloseWrite tells the other side that no more data follows.
func (u *Buffered) CloseWrite() error {
	if c, ok := u.Conn.(interface{ CloseWrite() error }); ok {
		return c.CloseWrite()
	}
	return errors.ErrUnsupported
}
