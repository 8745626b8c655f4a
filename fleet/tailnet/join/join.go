// Package join makes a ship a member of the captain's tailnet: what runs on the ship for it.
//
// The ship has a tailscaled of its own, below its home, and leaves the tailscaled of the machine's owner alone. It runs in
// userspace, which needs neither root nor a tunnel device and changes nothing of the machine's network. What arrives for ocaptain's
// SSH server, the door, gets to it on loopback, where no other machine can reach it. When either was killed, or the machine has
// restarted, helm reaches the ship as its provider does, and its next order starts them again.
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

// Order is what the hub wants of a ship, as JSON on standard input.
type Order struct {
	Host       string        `json:"host"`            // what it is called in the tailnet
	Tag        string        `json:"tag"`             // that it carries there
	Key        string        `json:"key,omitempty"`   // to join with; "" tells of a ship that must have joined already
	Authorized string        `json:"authorized"`      // who may log in, in authorized_keys format
	Login      string        `json:"login,omitempty"` // control server, "" for Tailscale's
	Tailscale  fetch.Archive `json:"tailscale"`       // what a ship without Tailscale gets, with the digest that the hub knows
	Leave      bool          `json:"leave,omitempty"` // end the membership instead; an attempt to join has failed
}

// Answer is what a ship tells of its membership, as JSON on standard output.
type Answer struct {
	Node     string `json:"node,omitempty"` // id, as Tailscale's API knows it
	IP       string `json:"ip,omitempty"`
	Port     int    `json:"port,omitempty"`     // of the door
	HostKey  string `json:"hostKey,omitempty"`  // of the door, in authorized_keys format
	NeedsKey bool   `json:"needsKey,omitempty"` // it has not joined, and got no key to do so
}

// dir is where everything of it lies, below the ship's home.
const dir = ".ocaptain/tailnet"

// berth is a ship on its way into the tailnet.
type berth struct {
	home   string
	order  Order
	socket string // where its tailscaled listens
}

func (b *berth) pathOf(name string) string { return filepath.Join(b.home, dir, name) }

// Serve reads an order, obeys and answers. What runs already is left alone, so the same order can be given again; without
// a key it starts what a restart of the machine has ended.
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

// Join carries out one order.
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
