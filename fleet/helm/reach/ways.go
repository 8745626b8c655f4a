package reach

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/facts"
	"ocaptain/fleet/link"
	"ocaptain/fleet/provider"
	"ocaptain/fleet/retry"
)

// headStart is how long a dial over the tailnet runs before helm also tries the provider's way. A dial over the
// tailnet takes milliseconds, but the first one may take five seconds.
const headStart = 2 * time.Second

// DialSSH connects to the ship's SSH server: over the tailnet if the ship answers there, else by its provider.
func (s *Ship) DialSSH(ctx context.Context) (net.Conn, error) {
	_, at, strange := s.place()
	if at == nil || strange { // if another machine answered, ask the provider
		conn, err := s.across(ctx)
		if err == nil {
			s.Arrived(fleet.ViaProvider)
		}
		return conn, err
	}
	conn, far, err := link.Race(ctx, headStart, func(ctx context.Context) (net.Conn, error) { return s.o.Access.OverTailnet(ctx, at) }, s.across)
	switch {
	case err == nil && far:
		s.Arrived(fleet.ViaProvider)
	case err == nil:
		s.Arrived(fleet.ViaTailnet)
	}
	return conn, err
}

// place returns the ship's machine, its address in the tailnet, and whether another machine answers in its place.
func (s *Ship) place() (m provider.Machine, at *fleet.Tailnet, strange bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.machine, s.at, s.status.State == link.Refused
}

// Arrived records how the ship was reached.
func (s *Ship) Arrived(via string) {
	s.mu.Lock()
	changed := s.via != via
	s.via = via
	s.mu.Unlock()
	if changed {
		s.o.Paint.Send()
	}
}

// across connects by the provider, and tells the captain when the machine is stopped because its disk space is used
// up.
func (s *Ship) across(ctx context.Context) (net.Conn, error) {
	conn, err := s.dial(ctx)
	var full *provider.FullError
	why := ""
	if errors.As(err, &full) {
		why = full.Error()
	}
	s.mu.Lock()
	began := why != "" && s.full == ""
	s.full = why
	s.mu.Unlock()
	if began {
		s.o.Notes.Add(fleet.Note{Ship: s.o.Ship.Name, Text: why})
	}
	return conn, err
}

// dial connects to the ship's machine by its provider, and starts the machine if it is stopped. If another machine
// answered in its place, dial first asks the provider where the machine is now.
func (s *Ship) dial(ctx context.Context) (net.Conn, error) {
	m, _, strange := s.place()
	prov := s.o.Access.Providers[s.o.Ship.Provider]
	var err error
	if !strange {
		var conn net.Conn
		if conn, err = prov.Dial(ctx, m); err == nil {
			return conn, nil
		}
	}
	began := time.Now()
	back, e := prov.Ensure(ctx, m.Name)
	switch {
	case errors.Is(e, provider.ErrNotFound):
		s.missMachine(began)
		s.o.Go(s.o.Lost)
		return nil, fmt.Errorf("the machine %s no longer exists; replace the ship with: %s", m.Name, s.o.Replace)
	case e != nil && strange:
		return prov.Dial(ctx, m) // check again which machine answers
	case e != nil && e.Error() == err.Error():
		return nil, err
	case e != nil:
		return nil, errors.Join(err, e)
	}
	s.mu.Lock()
	s.machine, s.absence = back, facts.Absence{}
	s.mu.Unlock()
	s.o.Keep(func(f *fleet.Ship) { f.Machine = back })
	return prov.Dial(ctx, back)
}

// missMachine records that the provider did not find the ship's machine.
func (s *Ship) missMachine(at time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.absence = s.absence.Missed(at, s.o.Access.Machines.Proof())
}

// connecting is how long Connects waits for a link.
const connecting = 10 * time.Second

// Connects reports whether the ship is connected. If helm has just started, or the link has just failed, it waits up
// to connecting for a connection. If the link failed earlier, it waits for one new attempt.
func (s *Ship) Connects(ctx context.Context) bool {
	asked := time.Now()
	for again := false; ; {
		s.mu.Lock()
		l, st := s.link, s.status
		s.mu.Unlock()
		up, since := st.State == link.Connected, st.Since
		if since.IsZero() {
			since = s.begun
		} else if l != nil && !up && !again {
			l.RetryNow()
			again = true
		}
		if !st.Tried.After(asked) && since.Before(asked) {
			since = asked
		}
		if up || time.Since(since) > connecting || retry.Sleep(ctx, 50*time.Millisecond) != nil {
			return up
		}
	}
}
