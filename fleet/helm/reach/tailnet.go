package reach

import (
	"context"
	"errors"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/link"
	"ocaptain/fleet/provision"
)

// mendEvery is how often a ship's way over the tailnet is looked after at most.
const mendEvery = 2 * time.Minute

// rejoinTailnet brings a ship back into the tailnet after helm had to reach it as its provider does: after a
// restart of the machine nothing else starts its tailscaled and its door. A ship that had joined needs no key.
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

// mendsNow returns the ship's place in the tailnet and whether that is to be looked after now.
func (s *Ship) mendsNow(now time.Time) (was *fleet.Tailnet, due bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	due = s.at != nil && s.via == fleet.ViaProvider && now.Sub(s.mended) > mendEvery
	if due {
		s.mended = now
	}
	return s.at, due
}

// rejoined decides where a ship is in the tailnet that was there, now that it says that it is at a place or err: nil when it is out of the
// tailnet, and why. known is false when err tells nothing.
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
