package voyage

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/link"
)

// headStart is what the tailnet gets before the provider's own way is tried beside it. A dial over the
// tailnet takes milliseconds, but the first one may take five seconds.
const headStart = 2 * time.Second

// DialSSH reaches the ship's SSH server: over the tailnet if it is there and answers, else as its provider does.
func (s *Ship) DialSSH(ctx context.Context) (net.Conn, error) {
	at, strange := reads2(s.v, func() (*fleet.Tailnet, bool) { return s.known.Ship.Tailnet, s.strange })
	if at == nil || strange { // where something else answers, the provider is asked
		conn, err := s.across(ctx)
		s.arrived(fleet.ViaProvider, err)
		return conn, err
	}
	conn, far, err := link.Race(ctx, headStart, func(ctx context.Context) (net.Conn, error) { return s.v.set.overTailnet(ctx, at) }, s.across)
	via := fleet.ViaTailnet
	if far {
		via = fleet.ViaProvider
	}
	s.arrived(via, err)
	return conn, err
}

// arrived notes how a ship was reached last.
func (s *Ship) arrived(via string, err error) {
	if err != nil {
		return
	}
	changes(s.v, func() {
		if s.via != via {
			s.via = via
			s.v.requestBoard()
		}
	})
}

// overTailnet connects to where a ship is in the tailnet. Its tailscaled takes connections also where nobody
// listens any more, so only a server that has greeted counts.
func (h *Set) overTailnet(ctx context.Context, at *fleet.Tailnet) (net.Conn, error) {
	conn, err := h.net.Dial(ctx, at.IP, at.Port)
	if err != nil {
		return nil, fmt.Errorf("tailnet: %w", err)
	}
	in := bufio.NewReader(conn)
	stop := context.AfterFunc(ctx, func() { conn.Close() })
	_, err = in.Peek(4)
	if !stop() {
		err = ctx.Err()
	}
	if err != nil {
		conn.Close()
		return nil, fmt.Errorf("tailnet: the ship's SSH server does not answer: %w", err)
	}
	return &api.Buffered{Conn: conn, Buffer: in}, nil
}

// DialNet connects to a port of a machine of the tailnet.
func (h *Set) DialNet(ctx context.Context, host string, port int) (net.Conn, error) {
	return h.net.Dial(ctx, host, port)
}
