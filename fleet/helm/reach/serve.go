package reach

import (
	"context"
	"fmt"
	"path"
	"strings"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/aboard/wire"
	"ocaptain/fleet/clean"
	"ocaptain/fleet/link"
	"ocaptain/fleet/provision"
	"ocaptain/fleet/retry"
)

// Service is helm's part of a session with "aboard serve".
type Service struct {
	Answer func(ready <-chan *wire.Conn) wire.Handlers      // returns handlers for the ship's requests; ready delivers the connection
	During func(jobs context.Context, connected *wire.Conn) // starts the jobs of a session; they end when jobs ends
}

// Serve keeps "aboard serve" running on the ship and serves its connection, until ctx ends.
func (s *Ship) Serve(ctx context.Context, helm Service) {
	done := make(chan struct{})
	go func() { defer close(done); s.follow(ctx) }()
	defer func() { <-done }()
	pauses := retry.Doubling(100*time.Millisecond, 10*time.Second)
	for ctx.Err() == nil {
		if err := s.awaitConnection(ctx); err != nil {
			return // helm no longer looks after the ship
		}
		began := time.Now()
		err := s.session(ctx, helm)
		if ctx.Err() != nil {
			return
		}
		s.o.Log.Info("session ended", "ship", s.o.Ship.Name, "error", err)
		if time.Since(began) > time.Minute {
			pauses.Reset()
		}
		if retry.Sleep(ctx, pauses.NextBackOff()) != nil {
			return
		}
	}
}

// follow records the statuses of the link.
func (s *Ship) follow(ctx context.Context) {
	for st := range s.Link().Statuses(ctx) {
		s.Note(st)
	}
}

// awaitConnection waits until the ship is connected. It tells the captain when another machine answers in the ship's
// place; once that ends, the link connects by itself.
func (s *Ship) awaitConnection(ctx context.Context) error {
	for st := range s.Link().Statuses(ctx) {
		switch st.State {
		case link.Connected:
			return nil
		case link.Refused:
			s.o.Notes.Add(fleet.Note{Ship: s.o.Ship.Name, Text: st.Err.Error()})
		case link.Closed:
			return link.ErrClosed
		}
	}
	return ctx.Err()
}

// session runs "aboard serve" once, until it ends.
func (s *Ship) session(ctx context.Context, helm Service) error {
	program := path.Join(s.o.Ship.Home, provision.Binary)
	stream, err := s.Link().Stream(ctx, link.Command{Argv: []string{program, "aboard", "serve"}})
	if err != nil {
		return err
	}
	ready := make(chan *wire.Conn, 1)
	conn := wire.New(stream, wire.Options{Handlers: helm.Answer(ready), Idle: 10 * time.Second})
	ready <- conn
	defer conn.Close()
	jobs, cancel := context.WithCancel(ctx)
	defer cancel()
	helm.During(jobs, conn)
	s.o.Go(func() { s.rejoinTailnet(jobs) })
	defer s.leave(conn)
	select {
	case <-conn.Done():
		return s.broken(conn, stream.Stderr())
	case <-ctx.Done():
		return ctx.Err()
	}
}

// leave records that a connection has ended.
func (s *Ship) leave(conn *wire.Conn) {
	s.mu.Lock()
	was := s.conn == conn
	if was {
		s.conn = nil
	}
	s.mu.Unlock()
	if was {
		s.o.Away()
	}
}

// broken returns the error with which a session ended, with the standard error of "aboard serve". If the session
// ended before the ship's greeting, broken tells the captain that ocaptain does not run on the ship.
func (s *Ship) broken(conn *wire.Conn, said string) error {
	err := conn.Err()
	if said = strings.TrimSpace(s.o.Redact(clean.Bound(said, 500))); said != "" {
		err = fmt.Errorf("%w: %s", err, said)
	}
	s.mu.Lock()
	begun, cut := s.conn == conn, s.status.State != link.Connected
	if !begun && !cut {
		if s.silent == "" {
			s.silentAt = time.Now()
		}
		s.silent = err.Error()
		s.o.Paint.Send()
	}
	s.mu.Unlock()
	if !begun && (said != "" || !cut) {
		s.o.Notes.Add(fleet.Note{Ship: s.o.Ship.Name, Text: "ocaptain does not run on it: " + err.Error()})
	}
	return err
}
