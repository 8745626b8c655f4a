package voyage

import (
	"context"
	"errors"
	"os"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/clean"
	"ocaptain/fleet/link"
	"ocaptain/fleet/provider/registry"
	"ocaptain/fleet/provision"
)

// joinFrom is where ships get what they join the tailnet with.
type joinFrom struct {
	login    string // the control server, "" for Tailscale's
	tarballs string // "" for Tailscale's own place
}

// joinFromEnv is what the environment says of that.
//
// OCAPTAIN_TAILSCALE_LOGIN_SERVER names a control server that is not Tailscale's, OCAPTAIN_TAILSCALE_TARBALLS another
// place for what ships without Tailscale get.
func joinFromEnv() joinFrom {
	return joinFrom{login: os.Getenv("OCAPTAIN_TAILSCALE_LOGIN_SERVER"), tarballs: os.Getenv("OCAPTAIN_TAILSCALE_TARBALLS")}
}

// tailnetOf is what a ship is to join, nil for nothing: machines in the cloud join, when the captain has given a
// secret that makes keys.
func (v *Voyage) tailnetOf(f *fleet.Ship) *provision.Tailnet {
	if !registry.Of(f.Provider).Tailnet {
		return nil
	}
	api, err := v.set.tailscale.Ask()
	if err != nil {
		return nil // sail and doctor have said what is wrong with the secret
	}
	return &provision.Tailnet{
		Tag: api.DeviceTag(), Login: v.set.joinFrom.login, Tarballs: v.set.joinFrom.tarballs,
		Key: func(ctx context.Context) (string, error) {
			key, err := v.set.machines.JoinKey(ctx, v.machineOf(f))
			return key.Secret(), err
		},
		Joined: func(ctx context.Context, at *fleet.Tailnet) error {
			ctx, cancel := context.WithTimeout(ctx, listed)
			defer cancel()
			d, err := v.set.machines.Joined(ctx, v.machineOf(f), at.IP)
			if err == nil {
				at.Node = d.ID
			}
			return err
		},
	}
}

// listed is how long a device may take to be listed after it has joined.
const listed = time.Minute

// joining is tailnetOf for a ship that is being fitted out: without a way into the tailnet on this machine
// nothing is gained by joining.
func (v *Voyage) joining(ctx context.Context, f *fleet.Ship) *provision.Tailnet {
	t := v.tailnetOf(f)
	if t == nil {
		return nil
	}
	if _, err := v.set.net.DescribeWay(ctx); err != nil {
		v.addNote(fleet.Note{Ship: f.Name, Text: "it does not join the tailnet: " + clean.Bound(err.Error(), maxText)})
		return nil
	}
	return t
}

// mendEvery is how often a ship's way over the tailnet is looked after at most.
const mendEvery = 2 * time.Minute

// rejoinTailnet brings a ship back into the tailnet that had to be reached as its provider does: after a restart of
// the machine nobody else starts its tailscaled and its door again. What was joined needs no key.
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
	t := s.v.tailnetOf(&ship)
	if !due || t == nil {
		return
	}
	t.Key, t.Joined = nil, nil
	ctx, cancel := context.WithTimeout(ctx, 3*time.Minute)
	defer cancel()
	at, err := t.Join(ctx, s.link, ship, ship.MachineName(s.v.dir.ID()), provision.PublicKey(s.v.set.key))
	switch {
	case errors.Is(err, provision.ErrLeft):
		s.v.addNote(fleet.Note{Ship: s.name, Text: err.Error() + ", and is reached as its provider does"})
		at = nil
	case err == nil && (at.Node != ship.Tailnet.Node || at.IP != ship.Tailnet.IP || at.HostKey != ship.Tailnet.HostKey):
		s.v.addNote(fleet.Note{Ship: s.name, Text: "it says that it is another node of the tailnet than it was, or has another host key, and is reached as its provider does"})
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
