package helm

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
)

// headStart is what the tailnet gets before the provider's own way is tried beside it. A dial over the
// tailnet takes milliseconds, but the first one may take five seconds.
const headStart = 2 * time.Second

// dialSSH reaches the ship's SSH server: over the tailnet if it is there and answers, else as its provider does.
func (s *ship) dialSSH(ctx context.Context) (net.Conn, error) {
	at, strange := reads2(s.v, func() (*fleet.Tailnet, bool) { return s.known.Ship.Tailnet, s.strange })
	if at == nil || strange { // where something else answers, the provider is asked
		conn, err := s.across(ctx)
		s.arrived(fleet.ViaProvider, err)
		return conn, err
	}
	conn, via, err := dialRace(ctx, headStart, func(ctx context.Context) (net.Conn, error) { return s.v.helm.overTailnet(ctx, at) }, s.across)
	s.arrived(via, err)
	return conn, err
}

// arrived notes how a ship was reached last.
func (s *ship) arrived(via string, err error) {
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
func (h *Helm) overTailnet(ctx context.Context, at *fleet.Tailnet) (net.Conn, error) {
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

// dialRace tries one way, and another one beside it when the first takes longer than the head start or fails. The
// first connection counts, and the other is closed.
func dialRace(ctx context.Context, start time.Duration, tailnet, provider func(context.Context) (net.Conn, error)) (net.Conn, string, error) {
	ctx, cancel := context.WithCancel(ctx)
	type result struct {
		conn net.Conn
		via  string
		err  error
	}
	results := make(chan result, 2)
	try := func(via string, dial func(context.Context) (net.Conn, error)) {
		go func() {
			conn, err := dial(ctx)
			results <- result{conn, via, err}
		}()
	}
	try(fleet.ViaTailnet, tailnet)
	timer := time.NewTimer(start)
	defer timer.Stop()
	running, both := 1, false
	var failed []error
	for {
		var got result
		select {
		case got = <-results:
			running--
		case <-timer.C:
		}
		if got.conn != nil && got.err == nil {
			go func() {
				defer cancel()
				if running == 0 {
					return
				}
				cancel()
				if late := <-results; late.err == nil {
					late.conn.Close()
				}
			}()
			return got.conn, got.via, nil
		}
		if got.err != nil {
			failed = append(failed, got.err)
		}
		if !both {
			both = true
			running++
			try(fleet.ViaProvider, provider)
		} else if running == 0 {
			cancel()
			return nil, "", errors.Join(failed...)
		}
	}
}
