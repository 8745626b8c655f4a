package helm

import (
	"context"
	"io"
	"net/http"
	"strconv"
	gosync "sync"
	"time"

	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/helm/voyage"
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

// dialShip connects the client to a ship's SSH server.
func (h *Helm) dialShip(w http.ResponseWriter, r *http.Request) {
	var s *voyage.Ship
	far, err := func() (_ io.ReadWriteCloser, err error) {
		v, err := h.set.Voyage(r.PathValue("voyage"))
		if err != nil {
			return nil, err
		}
		if s, err = v.ShipNamed(r.PathValue("ship")); err != nil {
			return nil, err
		}
		ctx, cancel := context.WithTimeout(r.Context(), 20*time.Second)
		defer cancel()
		return s.Reach.DialSSH(ctx)
	}()
	if err != nil {
		api.WriteError(w, err)
		return
	}
	if file, end, ok := passable(far); ok {
		passConnection(w, file, end)
	} else {
		splice(w, far, false)
	}
	s.Copies.Soon() // the captain may have changed files there
}

// splice connects a client with far, the connection that was dialled for it. When the client ends its input, far is
// told so and, unless half is set, is closed soon after. If far cannot be told, the whole connection ends.
func splice(w http.ResponseWriter, far io.ReadWriteCloser, half bool) {
	defer far.Close()
	w.Header().Set("Connection", "Upgrade")
	w.Header().Set("Upgrade", "ssh")
	if !canCloseWrite(far) {
		w.Header().Set(api.WholeHeader, "true")
	}
	w.WriteHeader(http.StatusSwitchingProtocols)
	near, buf, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	defer near.Close()
	var both gosync.WaitGroup
	var last *time.Timer
	both.Go(func() {
		_, _ = io.Copy(far, buf)
		if !closeWrite(far) {
			_ = far.Close()
		} else if !half {
			last = time.AfterFunc(parting, func() { _ = far.Close() })
		}
	})
	both.Go(func() { _, _ = io.Copy(near, far); _ = near.Close() })
	both.Wait()
	if last != nil {
		last.Stop()
	}
}
