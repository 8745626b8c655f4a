package helm

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"path/filepath"
	"slices"
	gosync "sync"
	"time"

	"ocaptain/fleet"
	"ocaptain/fleet/tailnet"
	"ocaptain/fleet/tokens"
)

// TailnetFile is where the hub keeps what makes keys for ships on the tailnet.
func TailnetFile(h fleet.Hub) string { return tokens.Of(h).File("tailscale") }

// KeepTailnet leaves it where helm finds it, also when it sinks the ships after it was started
// anew. It stays until another one is kept.
func KeepTailnet(h fleet.Hub, own tailnet.Credentials) error {
	return tokens.Of(h).Keep("tailscale", tokens.Token{Secret: own.Secret, URL: own.URL, Tag: own.Tag})
}

// KeptTailnet returns what was kept last; tailnet.ErrNoSecret when nothing was.
func KeptTailnet(h fleet.Hub) (tailnet.Credentials, error) {
	kept, err := tokens.Of(h).Kept("tailscale")
	if err != nil {
		return tailnet.Credentials{}, err
	}
	own := tailnet.Credentials{Secret: kept.Secret, URL: kept.URL, Tag: kept.Tag}
	return own, own.Check()
}

// Berths is this install's record of its machines on the tailnet.
func Berths(h fleet.Hub) *tailnet.Book { return tailnet.NewBook(filepath.Join(h.State, "tailnet")) }

// harbour is helm's side of the tailnet: who asks Tailscale, and what is recorded.
type harbour struct {
	hub   fleet.Hub
	book  *tailnet.Book
	going chan struct{} // asks for the removal of what is leaving
	proof time.Duration // see machines.Options.Proof

	mu  gosync.Mutex
	own tailnet.Credentials
	api *tailnet.API // for own, nil before it is needed
}

func newHarbour(h fleet.Hub) *harbour {
	return &harbour{hub: h, book: Berths(h), going: make(chan struct{}, 1), proof: proof()}
}

// ask returns the way to Tailscale, by what is kept now: a secret that was changed holds at
// once. tailnet.ErrNoSecret when ships are to be reached as their provider does.
func (b *harbour) ask() (*tailnet.API, error) {
	own, err := KeptTailnet(b.hub)
	if err != nil {
		return nil, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.api != nil && b.own == own {
		return b.api, nil
	}
	api, err := tailnet.Open(own)
	if err != nil {
		return nil, err
	}
	if b.api != nil {
		b.api.Close()
	}
	b.own, b.api = own, api
	return api, nil
}

// moor makes the key with which a ship's machine joins the tailnet. What it leaves there is
// recorded before it can: first that there will be a key, then which one. A crash in between
// leaves a key that nobody has, until it ends by itself.
func (v *voyage) moor(ctx context.Context, f *fleet.Ship) (tailnet.Key, error) {
	b := v.helm.harbour
	api, err := b.ask()
	if err != nil {
		return tailnet.Key{}, err
	}
	machine := f.MachineName(v.dir.ID())
	was, err := b.book.Change(machine, func(r *tailnet.Berth) { r.Voyage, r.Ship, r.Leaving, r.Missed = v.dir.ID(), f.Name, false, time.Time{} })
	if err != nil {
		return tailnet.Key{}, err
	}
	if was.Key != "" { // an attempt was interrupted; whoever joined then has lost that, or would ask for no key
		if _, _, err := api.Clear(ctx, was); err != nil && !errors.Is(err, tailnet.ErrForeign) {
			return tailnet.Key{}, err
		}
	}
	return b.mint(ctx, api, machine)
}

// mint makes a key for a machine that is in the book, and records which one it is before anybody has it.
func (b *harbour) mint(ctx context.Context, api *tailnet.API, machine string) (tailnet.Key, error) {
	key, err := api.Mint(ctx, machine)
	if err != nil {
		return tailnet.Key{}, err
	}
	if _, err := b.book.Change(machine, func(r *tailnet.Berth) {
		r.Tag, r.Client, r.Key, r.Began, r.Last, r.Node = api.Tag(), api.Client(), key.ID, key.Minted, time.Now(), ""
	}); err != nil {
		revoking, cancel := context.WithTimeout(context.WithoutCancel(ctx), leaving)
		defer cancel()
		_ = api.Revoke(revoking, key.ID) // else it ends by itself
		return tailnet.Key{}, err
	}
	return key, nil
}

// moored waits until the device of a ship's machine, which has joined with its key, is listed, and
// records it. What the machine says of itself does not count: it may be another ship's, or have another address
// than it says, and is not recorded then.
func (v *voyage) moored(ctx context.Context, f *fleet.Ship, ip string) (tailnet.Device, error) {
	b := v.helm.harbour
	api, err := b.ask()
	if err != nil {
		return tailnet.Device{}, err
	}
	machine := f.MachineName(v.dir.ID())
	r, _, err := b.book.Get(machine)
	if err != nil {
		return tailnet.Device{}, err
	}
	r.Machine = machine
	d, err := api.Await(ctx, r)
	if err != nil {
		return d, err
	}
	if !slices.ContainsFunc(d.IPs, func(own netip.Addr) bool { return own.String() == ip }) {
		return d, fmt.Errorf("it says that it has the address %s, and Tailscale says otherwise", ip)
	}
	all, err := b.book.All()
	for _, other := range all {
		if other.Node == d.ID && other.Machine != machine {
			return d, fmt.Errorf("the device that Tailscale has for it is that of %s", other.Machine)
		}
	}
	if err != nil {
		return d, err
	}
	_, err = b.book.Change(machine, func(r *tailnet.Berth) { r.Node = d.ID })
	return d, err
}
