package helm

import (
	"context"
	"io"
	"net/http"
)

// alive keeps the answer open until helm ends: the end of the connection tells a client
// so without any polling.
func (h *Helm) alive(w http.ResponseWriter, r *http.Request) {
	w.WriteHeader(http.StatusOK)
	if f, ok := w.(http.Flusher); ok {
		f.Flush()
	}
	select {
	case <-h.ctx.Done():
	case <-r.Context().Done():
	}
}

// Wait returns when helm has ended, with [ErrDown], or when ctx ends.
func (c *Client) Wait(ctx context.Context) error {
	resp, err := c.request(ctx, http.MethodGet, "/v1/alive", nil)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	_, err = io.Copy(io.Discard, resp.Body)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		return unreachable(err)
	}
	return ErrDown
}
