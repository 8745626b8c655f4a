package attach

import (
	"context"
	"fmt"
	"net"
	"time"

	"golang.org/x/crypto/ssh"

	"ocaptain/fleet"
	"ocaptain/fleet/helm/api"
	"ocaptain/fleet/install"
	"ocaptain/fleet/link"
)

// Absent is the error when there is no ship to reach: not yet, or no longer.
type Absent struct {
	Ship   string
	Why    string
	Coming bool // the ship is being made
}

func (e *Absent) Error() string { return e.Ship + " cannot be reached: " + e.Why }

// OpenLink opens a link to a ship of the voyage, dialled by helm. It returns at once; the link
// connects and reconnects by itself. The link accepts only the pinned host key.
func OpenLink(hub fleet.Hub, voyage fleet.Dir, ship string, client *api.Client) (*link.Link, error) {
	f, err := fleet.LoadFleet(voyage)
	if err != nil {
		return nil, err
	}
	s := f.ShipNamed(ship)
	if why, coming := absence(f, s); why != "" {
		return nil, &Absent{ship, why, coming}
	}
	key, err := install.Key(hub)
	if err != nil {
		return nil, fmt.Errorf("key of this hub: %w", err)
	}
	return link.Open(link.Config{
		Name: ship, User: s.Machine.User, HostKey: s.HostKeys(), Signers: []ssh.Signer{key},
		Dial:     func(ctx context.Context) (net.Conn, error) { return client.Dial(ctx, voyage.ID(), ship) },
		Interval: 3 * time.Second, Timeout: 10 * time.Second,
	})
}

// absence returns why there is no ship to reach, "" when there is one, and whether one will come.
func absence(f fleet.Fleet, s *fleet.Ship) (why string, coming bool) {
	switch {
	case s == nil && (f.Phase == fleet.Sunk || f.Phase == fleet.Sinking):
		return "it is sunk", false
	case s == nil:
		return "there is no such ship", false
	case s.Phase == fleet.Going:
		return "it is being destroyed", s.Again
	case s.Phase == fleet.Failed:
		return "provisioning failed", false
	case s.HostKey == "" && s.Step != "":
		return "it is being provisioned: " + s.Step, true
	case s.HostKey == "":
		return "it is not provisioned", s.Phase == fleet.Planned || s.Phase == fleet.Provisioning
	}
	return "", false
}
