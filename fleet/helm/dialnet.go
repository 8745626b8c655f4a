package helm

import (
	"io"
	"net/http"
	"strconv"

	"ocaptain/fleet/helm/api"
)

func (h *Helm) dialNet(w http.ResponseWriter, r *http.Request) {
	host := r.PathValue("host")
	port, err := strconv.Atoi(r.PathValue("port"))
	if err != nil || port < 1 || port >= 1<<16 {
		api.WriteError(w, api.Refused("%.20q is no port", r.PathValue("port")))
		return
	}
	far, err := h.set.DialNet(r.Context(), host, port)
	if err != nil {
		api.WriteError(w, err)
		return
	}
	splice(w, far, true)
}

// closeWrite tells the other side that no more data follows, and reports whether it could.
func closeWrite(c io.Closer) bool {
	half, ok := c.(interface{ CloseWrite() error })
	return ok && half.CloseWrite() == nil
}

// canCloseWrite reports whether closeWrite would work.
func canCloseWrite(c io.Closer) bool {
	if u, ok := c.(*api.Buffered); ok {
		return canCloseWrite(u.Conn)
	}
	_, ok := c.(interface{ CloseWrite() error })
	return ok
}
