package voyage

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/facts"
	"ocaptain/fleet/helm/rights"
	"ocaptain/fleet/link"
	"ocaptain/fleet/provider"
)

// across reaches the ship's machine, and tells the captain when that is stopped for want of room.
func (s *Ship) across(ctx context.Context) (net.Conn, error) {
	conn, err := s.reach(ctx)
	var full *provider.FullError
	why := ""
	if errors.As(err, &full) {
		why = full.Error()
	}
	var began bool
	changes(s.v, func() {
		began = why != "" && s.known.Full == ""
		s.known.Full = why
	})
	if began {
		s.v.notes.Add(fleet.Note{Ship: s.name, Text: why})
	}
	return conn, err
}

// reach reaches the ship's machine as its provider does; a stopped machine is started first. If
// something else answered in its place, reach first asks the provider where the machine is now.
func (s *Ship) reach(ctx context.Context) (net.Conn, error) {
	m, strange := reads2(s.v, func() (provider.Machine, bool) { return s.known.Ship.Machine, s.strange })
	var err error
	if !strange {
		var conn net.Conn
		if conn, err = s.provider.Dial(ctx, m); err == nil {
			return conn, nil
		}
	}
	began := time.Now()
	back, e := s.provider.Ensure(ctx, m.Name)
	switch {
	case errors.Is(e, provider.ErrNotFound):
		s.missMachine(began)
		s.v.jobs.Go(func() { s.settleLost(rights.Provider, "its machine no longer exists") })
		return nil, fmt.Errorf("the machine %s no longer exists; replace the ship with: %s", m.Name, s.v.command("ship replace %s", s.name))
	case e != nil && strange:
		return s.provider.Dial(ctx, m) // the answering machine is checked again
	case e != nil && e.Error() == err.Error():
		return nil, err
	case e != nil:
		return nil, errors.Join(err, e)
	}
	s.v.changeAnyway(func(f *fleet.Fleet) {
		s.known.Ship.Machine, s.absence = back, facts.Absence{}
		if own := f.ShipNamed(s.name); own != nil && own.Built == s.known.Ship.Built {
			own.Machine = back
		}
	})
	return s.provider.Dial(ctx, back)
}

// missMachine notes that the provider did not find the ship's machine.
func (s *Ship) missMachine(at time.Time) {
	changes(s.v, func() { s.absence = s.absence.Missed(at, s.v.set.Machines.Proof()) })
}

// follow keeps what is known of the connection.
func (s *Ship) follow() {
	for st := range s.link.Statuses(s.ctx) {
		changes(s.v, func() {
			if s.known.Connected = st.State == link.Connected; s.known.Connected {
				s.absence = facts.Absence{}
			}
			s.gaps.Note(s.known.Connected, st.Since)
			s.strange = st.State == link.Refused
			s.known.LinkSince, s.dialled = st.Since, st.Tried
			s.known.LinkError = ""
			if st.Err != nil {
				s.known.LinkError = st.Err.Error()
			}
			s.v.requestBoard()
		})
	}
}

// awaitConnection waits until the ship is connected. It tells the captain when something else answers
// in the ship's place; the ship goes on by itself when that is over.
func (s *Ship) awaitConnection() error {
	for st := range s.link.Statuses(s.ctx) {
		switch st.State {
		case link.Connected:
			return nil
		case link.Refused:
			s.v.notes.Add(fleet.Note{Ship: s.name, Text: st.Err.Error()})
		case link.Closed:
			return link.ErrClosed
		}
	}
	return s.ctx.Err()
}
