// Package join makes a ship a member of the captain's tailnet. It runs on the ship.
//
// The ship has its own tailscaled below its home, and leaves the one of the machine's owner alone. It runs in userspace mode, which
// needs neither root nor a tunnel device and does not change the machine's network. tailscaled forwards connections to ocaptain's
// SSH server, the door, on loopback, where no other machine can reach it. If either was killed, or the machine has restarted, helm
// reaches the ship as its provider does, and sends another order, which starts them again.
package join

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/gofrs/flock"

	"ocaptain/fleet/fetch"
	"ocaptain/fleet/private"
	"ocaptain/fleet/tailnet"
)

// Order is an order of the hub, as JSON on standard input.
type Order struct {
	Host       string        `json:"host"`            // its name in the tailnet
	Tag        string        `json:"tag"`             // its tag in the tailnet
	Key        string        `json:"key,omitempty"`   // the key to join with; "" if the ship has joined before
	Authorized string        `json:"authorized"`      // the key that may log in, in authorized_keys format
	Login      string        `json:"login,omitempty"` // URL of the control server, "" for Tailscale's
	Tailscale  fetch.Archive `json:"tailscale"`       // the archive for a ship without Tailscale, with a digest that the hub knows
	Leave      bool          `json:"leave,omitempty"` // end the membership instead, as an attempt to join has failed
}

// Answer describes the ship's membership, as JSON on standard output.
type Answer struct {
	Node     string `json:"node,omitempty"` // its node id in Tailscale's API
	IP       string `json:"ip,omitempty"`
	Port     int    `json:"port,omitempty"`     // port of the door
	HostKey  string `json:"hostKey,omitempty"`  // host key of the door, in authorized_keys format
	NeedsKey bool   `json:"needsKey,omitempty"` // the ship has not joined, and the order has no key
}

// dir is the directory of all files of this package, below the ship's home.
const dir = ".ocaptain/tailnet"

// berth is a ship that joins the tailnet.
type berth struct {
	home   string
	order  Order
	socket string // path of its tailscaled's socket
}

func (b *berth) pathOf(name string) string { return filepath.Join(b.home, dir, name) }

// Serve reads an order, executes it and writes the answer. It leaves running programs alone, so the same order can be
// repeated; without a key, it starts programs that a restart of the machine has ended.
func Serve(ctx context.Context, home string, stdin io.Reader, stdout io.Writer) error {
	var o Order
	if err := json.NewDecoder(io.LimitReader(stdin, 1<<20)).Decode(&o); err != nil {
		return fmt.Errorf("read what to do: %w", err)
	}
	answer, err := Join(ctx, home, o)
	if err != nil {
		return err
	}
	return json.NewEncoder(stdout).Encode(answer)
}

// Join executes one order.
func Join(ctx context.Context, home string, o Order) (Answer, error) {
	b := &berth{home: home, order: o}
	if err := os.MkdirAll(b.pathOf(""), 0o700); err != nil {
		return Answer{}, err
	}
	sockets, err := private.SocketDir(b.pathOf(""), len("/sock"))
	if err != nil {
		return Answer{}, err
	}
	b.socket = filepath.Join(sockets, "sock")
	lock := flock.New(b.pathOf("lock"))
	if _, err := lock.TryLockContext(ctx, 100*time.Millisecond); err != nil {
		return Answer{}, fmt.Errorf("wait for another attempt: %w", err)
	}
	defer func() { _ = lock.Close() }()

	if o.Leave {
		return Answer{}, b.leaveNetwork(ctx)
	}
	programs, err := b.programs(ctx)
	if err != nil {
		return Answer{}, err
	}
	s, err := b.daemon(ctx, programs)
	if err != nil {
		return Answer{}, err
	}
	if s.State != tailnet.Running {
		if o.Key == "" {
			return Answer{NeedsKey: true}, nil
		}
		if s, err = b.joinNetwork(ctx, programs); err != nil {
			return Answer{}, err
		}
	}
	if !slices.Contains(s.Self.Tags, o.Tag) {
		return Answer{}, fmt.Errorf("it is in the tailnet without %s: the tailnet's policy must let that tag be its own owner's or the key's", o.Tag)
	}
	a := Answer{Node: s.Self.ID, IP: s.Self.Address().String()}
	if a.Node == "" || !tailnet.IsAddress(s.Self.Address()) {
		return Answer{}, errors.New("tailscaled tells neither node nor address")
	}
	a.Port, a.HostKey, err = b.startDoor(ctx)
	return a, err
}
