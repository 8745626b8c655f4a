package helm

import (
	"net/http"
)

// holdOpen keeps the answer open until helm ends: the end of the connection tells a client
// so without any polling.
func (h *Helm) holdOpen(w http.ResponseWriter, r *http.Request) {
	w.WriteHeader(http.StatusOK)
	if f, ok := w.(http.Flusher); ok {
		f.Flush()
	}
	select {
	case <-h.ctx.Done():
	case <-r.Context().Done():
	}
}
