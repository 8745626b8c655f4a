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

// JoinFrom says from where ships get what they need to join the tailnet.
type JoinFrom struct {
	Login    string // URL of the control server, "" for Tailscale's
	Tarballs string // URL of the archives of Tailscale, "" for Tailscale's own
}

// joinFromEnv reads these URLs from the environment.
//
// OCAPTAIN_TAILSCALE_LOGIN_SERVER is the URL of another control server. OCAPTAIN_TAILSCALE_TARBALLS is another URL
// for the archives that ships without Tailscale get.
func joinFromEnv() JoinFrom {
	return JoinFrom{Login: os.Getenv("OCAPTAIN_TAILSCALE_LOGIN_SERVER"), Tarballs: os.Getenv("OCAPTAIN_TAILSCALE_TARBALLS")}
}

// TailnetOf returns what the ship with this machine has to join, nil for nothing. Machines in the cloud join if the captain has
// configured a secret that makes keys.
func (a *Access) TailnetOf(f *fleet.Ship, id machines.ID) *provision.Tailnet {
	if !registry.Of(f.Provider).Tailnet {
		return nil
	}
	api, err := a.tailscale.Ask()
	if err != nil {
		return nil // sail and doctor have reported what is wrong with the secret
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

// listed is how long it may take until a device that has joined is listed.
const listed = time.Minute

// OverTailnet connects to a ship at its address in the tailnet. The ship's tailscaled accepts connections even if no
// server listens, so the connection counts only once the server has sent its greeting.
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

// DialNet connects to a port of a machine in the tailnet.
func (a *Access) DialNet(ctx context.Context, host string, port int) (net.Conn, error) {
	return a.Net.Dial(ctx, host, port)
}
