// Package reach keeps helm connected to a ship: it finds a way to the ship's machine, and runs "aboard serve" there.
package reach

import (
	"log/slog"
	"sync"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/aboard/wire"
	"ocaptain/fleet/helm/access"
	"ocaptain/fleet/helm/facts"
	"ocaptain/fleet/helm/notes"
	"ocaptain/fleet/link"
	"ocaptain/fleet/machines"
	"ocaptain/fleet/provider"
	"ocaptain/fleet/resolve"
	"ocaptain/fleet/wake"
)

// Options name the ship to reach, and what package reach needs from helm.
type Options struct {
	Access  *access.Access
	Ship    fleet.Ship
	Machine machines.ID
	Replace string // command with which the captain replaces the ship

	Redact func(string) string
	Log    *slog.Logger
	Notes  *notes.Notes
	Paint  wake.Signal  // is sent when the known state of the connection has changed
	Go     func(func()) // runs a goroutine that helm waits for

	Keep func(change func(*fleet.Ship)) // stores a change of the ship's record
	Lost func()                         // is called when the provider does not find the ship's machine
	Away func()                         // is called when "aboard serve" has ended
}

// Ship is helm's connection to a ship. Its methods are safe for concurrent use. It calls nothing of Options while it holds its lock, so
// callers may hold theirs.
type Ship struct {
	o     Options
	begun time.Time

	mu       sync.Mutex
	machine  provider.Machine
	at       *fleet.Tailnet // its address in the tailnet, nil for none
	link     *link.Link     // nil before Open
	conn     *wire.Conn     // to "aboard serve", nil while there is none
	status   link.Status    // zero before the first status
	full     string         // why its machine is stopped for want of room, "" when it is not
	silent   string         // why "aboard serve" does not run although the ship is connected
	silentAt time.Time      // since when silent is set
	via      string         // how it was reached last, "" before that
	mended   time.Time      // when helm last tried to repair its way over the tailnet
	absence  facts.Absence  // failed lookups of its machine at the provider
	gaps     facts.Gaps
}

// New returns a connection to a ship that is not open yet.
func New(o Options) *Ship {
	return &Ship{o: o, begun: time.Now(), machine: o.Ship.Machine, at: o.Ship.Tailnet}
}

// Open begins to connect to the ship.
func (s *Ship) Open() error {
	l, err := link.Open(s.o.Access.Link(&s.o.Ship, s.DialSSH))
	if err == nil {
		s.mu.Lock()
		s.link = l
		s.mu.Unlock()
	}
	return err
}

// Close ends the connection. The known state stays as it was.
func (s *Ship) Close() { _ = s.Link().Close() }

// LetGo records that helm no longer looks after the ship.
func (s *Ship) LetGo() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.status.State == link.Connected {
		s.status.State = link.Closed
	}
}

// Link returns the link to the ship, nil before Open.
func (s *Ship) Link() *link.Link {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.link
}

// Conn returns the connection to "aboard serve", nil while there is none.
func (s *Ship) Conn() *wire.Conn {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.conn
}

// Greet records that the ship has said hello on a connection.
func (s *Ship) Greet(conn *wire.Conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.conn, s.silent = conn, ""
}

// Note records the status of the link.
func (s *Ship) Note(st link.Status) {
	s.mu.Lock()
	s.status = st
	connected := st.State == link.Connected
	if connected {
		s.absence = facts.Absence{}
	}
	s.gaps.Note(connected, st.Since)
	s.mu.Unlock()
	s.o.Paint.Send()
}

// IsConnected reports whether the link is connected.
func (s *Ship) IsConnected() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.status.State == link.Connected
}

// IsSilent reports whether the ship has been out of reach for longer than most. Only time since awake, when the hub
// last woke up, counts.
func (s *Ship) IsSilent(now, awake time.Time, most time.Duration) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	since := s.status.Since
	if since.IsZero() || s.status.State == link.Connected {
		return false
	}
	if awake.After(since) {
		since = awake
	}
	return now.Sub(since) > most
}

// IsGone reports whether the ship's machine is proven to be gone.
func (s *Ship) IsGone() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.absence.Proven
}

// Show adds the state of the connection to known.
func (s *Ship) Show(known *resolve.Known) {
	s.mu.Lock()
	defer s.mu.Unlock()
	known.Connected, known.LinkSince, known.LinkError = s.status.State == link.Connected, s.status.Since, ""
	if s.status.Err != nil {
		known.LinkError = s.status.Err.Error()
	}
	known.Full, known.Silent, known.SilentAt = s.full, s.silent, s.silentAt
}

// Way returns how helm last reached the ship, "" if it never did, and how long the ship may usually be out of reach.
func (s *Ship) Way() (via string, usualGap time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.via, s.gaps.Longest()
}
