package voyage

import (
	"context"
	"net"
	"time"

	"ocaptain/fleet"
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
	conn, far, err := link.Race(ctx, headStart, func(ctx context.Context) (net.Conn, error) { return s.v.set.OverTailnet(ctx, at) }, s.across)
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
