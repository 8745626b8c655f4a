package provision

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"path"
	"strings"
	"time"

	"golang.org/x/crypto/ssh"

	"ocaptain/fleet"
	"ocaptain/fleet/link"
	"ocaptain/fleet/tailnet"
	"ocaptain/fleet/tailnet/join"
	"ocaptain/fleet/webapi"
)

// Tailnet is the tailnet that a ship has to join.
type Tailnet struct {
	Tag      string // the tag that the ship has there
	Login    string // URL of the control server, "" for Tailscale's
	Tarballs string // URL from which a ship without Tailscale gets it, "" for Tailscale's own; see join.Archive

	// Key returns a key with which only this ship can join. It is called only if the ship has not joined yet.
	Key func(context.Context) (string, error)

	// Joined is called with the address that the ship reports after it has joined. It may correct the address or refuse
	// it.
	Joined func(context.Context, *fleet.Tailnet) error
}

// joinTime bounds the step, including the download of Tailscale. A ship that has not joined by then works without the
// tailnet.
const joinTime = 5 * time.Minute

func (w *work) joinsTailnet() bool { return w.Tailnet != nil }

// joinTailnet makes the ship join the captain's tailnet. If that fails, the ship is reached only as its provider does.
func (w *work) joinTailnet(ctx context.Context) error {
	w.Ship.Tailnet = nil
	net := *w.Tailnet
	if net.Key != nil {
		net.Key = func(ctx context.Context) (string, error) {
			w.Await("a key of the tailnet")
			defer w.Await(w.counterpart())
			return w.Tailnet.Key(ctx)
		}
	}
	at, err := net.Join(ctx, w.link, w.Ship, w.Ship.MachineName(w.Voyage.ID), w.PublicKey)
	if err == nil && w.Tailnet.Joined != nil {
		w.Await("the tailnet's list of devices")
		err = w.Tailnet.Joined(ctx, at)
		w.Await(w.counterpart())
	}
	switch {
	case err == nil:
		w.Ship.Tailnet = at
		return nil
	case errors.Is(ctx.Err(), context.Canceled) || errors.Is(err, link.ErrDown):
		return err
	}
	w.Tailnet.Leave(ctx, w.link, w.Ship)
	w.Report("tailnet", "note", "it is not in the tailnet and is reached as its provider does: "+webapi.ShortLine(err.Error(), 600), 0)
	return nil
}

// Join makes a ship join under that name, or checks that it is still in the tailnet. The error is ErrLeft if the ship
// would need a new key but Key is nil.
func (t *Tailnet) Join(ctx context.Context, l *link.Link, ship fleet.Ship, name, authorized string) (*fleet.Tailnet, error) {
	order := join.Order{Host: name, Tag: t.Tag, Authorized: authorized, Login: t.Login, Tailscale: join.Archive(t.Tarballs, ship.Arch)}
	a, err := giveOrder(ctx, l, ship.Home, order)
	if err == nil && a.NeedsKey {
		if t.Key == nil {
			return nil, ErrLeft
		}
		if order.Key, err = t.Key(ctx); err == nil {
			a, err = giveOrder(ctx, l, ship.Home, order)
		}
	}
	if err != nil {
		return nil, err
	}
	return believe(a)
}

// leaveTime bounds leaving the tailnet.
const leaveTime = time.Minute

// Leave ends everything that a ship runs for the tailnet. If that fails, the ship's programs stay, and the owner of its key
// removes its device.
func (t *Tailnet) Leave(ctx context.Context, l *link.Link, ship fleet.Ship) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), leaveTime)
	defer cancel()
	_, _ = giveOrder(ctx, l, ship.Home, join.Order{Leave: true})
}

// ErrLeft means that a ship has left the tailnet.
var ErrLeft = errors.New("it is not in the tailnet any more")

// giveOrder sends an order to a ship and returns its answer.
func giveOrder(ctx context.Context, l *link.Link, home string, order join.Order) (join.Answer, error) {
	var a join.Answer
	raw, err := json.Marshal(order)
	if err != nil {
		return a, err
	}
	out, err := l.Run(ctx, link.Command{
		Argv: []string{path.Join(home, Binary), "aboard", "tailnet"}, Stdin: bytes.NewReader(raw), MaxOutput: 64 << 10,
	})
	if err != nil {
		return a, err
	}
	if err := json.Unmarshal(out.Stdout, &a); err != nil {
		return a, fmt.Errorf("its answer makes no sense: %.200q", out.Stdout)
	}
	return a, nil
}

// isNode reports whether a text has the form of a node's id.
func isNode(id string) bool {
	other := strings.IndexFunc(id, func(r rune) bool {
		return (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
	})
	return id != "" && len(id) <= 64 && other < 0
}

// believe checks a ship's answer, and returns the address in it.
func believe(a join.Answer) (*fleet.Tailnet, error) {
	ip, err := netip.ParseAddr(a.IP)
	key, _, _, rest, errKey := ssh.ParseAuthorizedKey([]byte(a.HostKey))
	if err != nil || errKey != nil || len(rest) > 0 || !tailnet.IsAddress(ip) || a.Port < 1 || a.Port >= 1<<16 || !isNode(a.Node) {
		return nil, fmt.Errorf("what it says of its place in the tailnet makes no sense: %.40q, %.40q, port %d", a.Node, a.IP, a.Port)
	}
	return &fleet.Tailnet{Node: a.Node, IP: ip.String(), Port: a.Port, HostKey: string(bytes.TrimSpace(ssh.MarshalAuthorizedKey(key)))}, nil
}
