package reach

import (
	"context"
	"errors"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/link"
	"ocaptain/fleet/provision"
)

// mendEvery is the shortest time between two tries to repair a ship's way over the tailnet.
const mendEvery = 2 * time.Minute

// rejoinTailnet brings a ship back into the tailnet when helm had to use the provider's way: after a restart of the
// machine, nothing else starts its tailscaled and its SSH server there. A ship that has joined before needs no key.
func (s *Ship) rejoinTailnet(ctx context.Context) {
	was, due := s.mendsNow(time.Now())
	if !due {
		return
	}
	ship := s.o.Ship
	ship.Tailnet = was
	t := s.o.Access.TailnetOf(&ship, s.o.Machine)
	if t == nil {
		return
	}
	t.Key, t.Joined = nil, nil
	ctx, cancel := context.WithTimeout(ctx, 3*time.Minute)
	defer cancel()
	at, err := t.Join(ctx, s.Link(), ship, s.o.Machine.Name, provision.PublicKey(s.o.Access.Key))
	now, why, known := rejoined(was, at, err)
	switch {
	case !known:
		if ctx.Err() == nil && !errors.Is(err, link.ErrDown) {
			s.o.Log.Info("tailnet not mended", "ship", ship.Name, "error", err)
		}
		return
	case why != "":
		s.o.Notes.Add(fleet.Note{Ship: ship.Name, Text: why + ", and is reached as its provider does"})
		t.Leave(ctx, s.Link(), ship)
	}
	s.mu.Lock()
	s.at = now
	s.mu.Unlock()
	s.o.Keep(func(f *fleet.Ship) { f.Tailnet = now })
}

// mendsNow returns the ship's address in the tailnet, and whether to repair the way now.
func (s *Ship) mendsNow(now time.Time) (was *fleet.Tailnet, due bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	due = s.at != nil && s.via == fleet.ViaProvider && now.Sub(s.mended) > mendEvery
	if due {
		s.mended = now
	}
	return s.at, due
}

// rejoined decides what a ship's new report, at or err, means for its recorded address was. now is the address to
// record, nil if the ship is out of the tailnet, and why says why. known is false if err proves nothing.
func rejoined(was, at *fleet.Tailnet, err error) (now *fleet.Tailnet, why string, known bool) {
	switch {
	case errors.Is(err, provision.ErrLeft):
		return nil, err.Error(), true
	case err != nil:
		return was, "", false
	case at.Node != was.Node || at.IP != was.IP || at.HostKey != was.HostKey:
		return nil, "it says that it is another node of the tailnet than it was, or has another host key", true
	}
	return at, "", true
}
