package helm

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
)

// DialNet returns a connection to a port of any node of the captain's tailnet, by name or address, dialled by
// helm. It has a CloseWrite, which reaches the other side, where the way there allows that.
func (c *Client) DialNet(ctx context.Context, host string, port int) (net.Conn, error) {
	return c.upgrade(ctx, host, "/v1/tailnet/"+url.PathEscape(host)+"/"+strconv.Itoa(port)+"/dial")
}

func (h *Helm) dialNet(w http.ResponseWriter, r *http.Request) {
	host := r.PathValue("host")
	port, err := strconv.Atoi(r.PathValue("port"))
	if err != nil || port < 1 || port >= 1<<16 {
		refuse(w, &answerError{fmt.Sprintf("%.20q is no port", r.PathValue("port")), ErrRefused})
		return
	}
	far, err := h.net.Dial(r.Context(), host, port)
	if err != nil {
		refuse(w, err)
		return
	}
	splice(w, far, true)
}

// closeWrite tells the other side that no more is said, and reports whether that can be done.
func closeWrite(c io.Closer) bool {
	half, ok := c.(interface{ CloseWrite() error })
	return ok && half.CloseWrite() == nil
}

// ends tells whether closeWrite can be done.
func ends(c io.Closer) bool {
	if u, ok := c.(*upgraded); ok {
		return ends(u.Conn)
	}
	_, ok := c.(interface{ CloseWrite() error })
	return ok
}
