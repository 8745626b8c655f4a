package helm

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/link"
	"ocaptain/fleet/provider"
)

// across reaches the ship's machine, and tells the captain when that is stopped for want of room.
func (s *ship) across(ctx context.Context) (net.Conn, error) {
	conn, err := s.reach(ctx)
	var full *provider.FullError
	why := ""
	if errors.As(err, &full) {
		why = full.Error()
	}
	s.v.mu.Lock()
	began := why != "" && s.known.Full == ""
	s.known.Full = why
	s.v.mu.Unlock()
	if began {
		s.v.addNote(fleet.Note{Ship: s.name, Text: why})
	}
	return conn, err
}

// reach reaches the ship's machine as its provider does; one that stopped is brought back first.
// Where something else answered in its place, the provider is asked first where it is now.
func (s *ship) reach(ctx context.Context) (net.Conn, error) {
	s.v.mu.Lock()
	m, strange := s.known.Ship.Machine, s.strange
	s.v.mu.Unlock()
	var err error
	if !strange {
		var conn net.Conn
		if conn, err = s.provider.Dial(ctx, m); err == nil {
			s.looked(time.Time{})
			return conn, nil
		}
	}
	began := time.Now()
	back, e := s.provider.Ensure(ctx, m.Name)
	switch {
	case errors.Is(e, provider.ErrNotFound):
		s.looked(began)
		s.v.jobs.Go(func() { s.settleLost("its machine no longer exists") })
		return nil, fmt.Errorf("the machine %s no longer exists; replace the ship with: %s", m.Name, s.v.command("ship replace %s", s.name))
	case e != nil && strange:
		return s.provider.Dial(ctx, m) // whoever answers is looked at again
	case e != nil && e.Error() == err.Error():
		return nil, err
	case e != nil:
		return nil, errors.Join(err, e)
	}
	s.looked(time.Time{})
	s.v.changeAnyway(func(f *fleet.Fleet) {
		s.known.Ship.Machine = back
		if own := f.ShipNamed(s.name); own != nil && own.Built == s.known.Ship.Built {
			own.Machine = back
		}
	})
	return s.provider.Dial(ctx, back)
}

// looked notes that the ship's machine was looked for in vain at a time, or found when that is zero. A provider may leave a machine out of
// one answer, so it takes two to prove that the machine is gone.
func (s *ship) looked(missed time.Time) {
	s.v.mu.Lock()
	defer s.v.mu.Unlock()
	switch {
	case missed.IsZero():
		s.missed, s.gone = missed, false
	case s.missed.IsZero():
		s.missed = missed
	case missed.Sub(s.missed) >= s.v.helm.machines.Proof():
		s.gone = true
	}
}

// follow keeps what is known of the connection.
func (s *ship) follow() {
	for st := range s.link.Statuses(s.ctx) {
		s.v.mu.Lock()
		s.known.Connected = st.State == link.Connected
		s.gaps.note(s.known.Connected, st.Since)
		s.strange = st.State == link.Refused
		s.known.LinkSince, s.dialled = st.Since, st.Tried
		s.known.LinkError = ""
		if st.Err != nil {
			s.known.LinkError = st.Err.Error()
		}
		s.v.requestBoard()
		s.v.mu.Unlock()
	}
}

// awaitConnection waits until the ship is connected. The captain is told of something else that answers
// in its place; the ship goes on by itself when that is over.
func (s *ship) awaitConnection() error {
	for st := range s.link.Statuses(s.ctx) {
		switch st.State {
		case link.Connected:
			return nil
		case link.Refused:
			s.v.addNote(fleet.Note{Ship: s.name, Text: st.Err.Error()})
		case link.Closed:
			return link.ErrClosed
		}
	}
	return s.ctx.Err()
}
