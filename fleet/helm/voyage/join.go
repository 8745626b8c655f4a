package voyage

import (
	"context"
	"errors"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/clean"
	"ocaptain/fleet/link"
	"ocaptain/fleet/provision"
)

// joining is TailnetOf for a ship that is being fitted out: without a way into the tailnet on this machine
// nothing is gained by joining.
func (v *Voyage) joining(ctx context.Context, f *fleet.Ship) *provision.Tailnet {
	t := v.set.TailnetOf(f, v.machineOf(f))
	if t == nil {
		return nil
	}
	if _, err := v.set.Net.DescribeWay(ctx); err != nil {
		v.notes.Add(fleet.Note{Ship: f.Name, Text: "it does not join the tailnet: " + clean.Bound(err.Error(), maxText)})
		return nil
	}
	return t
}

// mendEvery is how often a ship's way over the tailnet is looked after at most.
const mendEvery = 2 * time.Minute

// rejoinTailnet brings a ship back into the tailnet after helm had to reach it as its provider does: after a
// restart of the machine nothing else starts its tailscaled and its door. A ship that had joined needs no key.
func (s *Ship) rejoinTailnet(ctx context.Context) {
	var (
		ship fleet.Ship
		due  bool
	)
	changes(s.v, func() {
		ship = s.known.Ship
		due = ship.Tailnet != nil && s.via == fleet.ViaProvider && time.Since(s.mended) > mendEvery
		if due {
			s.mended = time.Now()
		}
	})
	t := s.v.set.TailnetOf(&ship, s.v.machineOf(&ship))
	if !due || t == nil {
		return
	}
	t.Key, t.Joined = nil, nil
	ctx, cancel := context.WithTimeout(ctx, 3*time.Minute)
	defer cancel()
	at, err := t.Join(ctx, s.link, ship, ship.MachineName(s.v.dir.ID()), provision.PublicKey(s.v.set.Key))
	switch {
	case errors.Is(err, provision.ErrLeft):
		s.v.notes.Add(fleet.Note{Ship: s.name, Text: err.Error() + ", and is reached as its provider does"})
		at = nil
	case err == nil && (at.Node != ship.Tailnet.Node || at.IP != ship.Tailnet.IP || at.HostKey != ship.Tailnet.HostKey):
		s.v.notes.Add(fleet.Note{Ship: s.name, Text: "it says that it is another node of the tailnet than it was, or has another host key, and is reached as its provider does"})
		at = nil
	case err != nil:
		if ctx.Err() == nil && !errors.Is(err, link.ErrDown) {
			s.v.log.Info("tailnet not mended", "ship", s.name, "error", err)
		}
		return
	}
	if at == nil {
		t.Leave(ctx, s.link, ship)
	}
	s.v.changeAnyway(func(f *fleet.Fleet) {
		s.known.Ship.Tailnet = at
		if own := f.ShipNamed(s.name); own != nil && own.Built == ship.Built {
			own.Tailnet = at
		}
	})
}
