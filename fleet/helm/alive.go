package helm

import (
	"net/http"
)

// holdOpen keeps the response open until helm ends, so that a client notices the end of helm without polling.
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
