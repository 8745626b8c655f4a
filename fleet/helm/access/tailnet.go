package access

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"os"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/machines"
	"ocaptain/fleet/provider/registry"
	"ocaptain/fleet/provision"
)

// JoinFrom is where ships get what they join the tailnet with.
type JoinFrom struct {
	Login    string // the control server, "" for Tailscale's
	Tarballs string // "" for Tailscale's own place
}

// joinFromEnv is what the environment says of that.
//
// OCAPTAIN_TAILSCALE_LOGIN_SERVER names a control server that is not Tailscale's, OCAPTAIN_TAILSCALE_TARBALLS another
// place for what ships without Tailscale get.
func joinFromEnv() JoinFrom {
	return JoinFrom{Login: os.Getenv("OCAPTAIN_TAILSCALE_LOGIN_SERVER"), Tarballs: os.Getenv("OCAPTAIN_TAILSCALE_TARBALLS")}
}

// TailnetOf is what the ship with a machine is to join, nil for nothing: machines in the cloud join, when the captain has given a
// secret that makes keys.
func (a *Access) TailnetOf(f *fleet.Ship, id machines.ID) *provision.Tailnet {
	if !registry.Of(f.Provider).Tailnet {
		return nil
	}
	api, err := a.tailscale.Ask()
	if err != nil {
		return nil // sail and doctor have said what is wrong with the secret
	}
	return &provision.Tailnet{
		Tag: api.DeviceTag(), Login: a.JoinFrom.Login, Tarballs: a.JoinFrom.Tarballs,
		Key: func(ctx context.Context) (string, error) {
			key, err := a.Machines.JoinKey(ctx, id)
			return key.Secret(), err
		},
		Joined: func(ctx context.Context, at *fleet.Tailnet) error {
			ctx, cancel := context.WithTimeout(ctx, listed)
			defer cancel()
			d, err := a.Machines.Joined(ctx, id, at.IP)
			if err == nil {
				at.Node = d.ID
			}
			return err
		},
	}
}

// listed is how long a device may take to be listed after it has joined.
const listed = time.Minute

// OverTailnet connects to where a ship is in the tailnet. Its tailscaled accepts connections even where no
// server listens any more, so only a server that has greeted counts.
func (a *Access) OverTailnet(ctx context.Context, at *fleet.Tailnet) (net.Conn, error) {
	conn, err := a.Net.Dial(ctx, at.IP, at.Port)
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

// DialNet connects to a port of a machine of the tailnet.
func (a *Access) DialNet(ctx context.Context, host string, port int) (net.Conn, error) {
	return a.Net.Dial(ctx, host, port)
}
