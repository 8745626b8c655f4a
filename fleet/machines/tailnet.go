package machines

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"time"

	"ocaptain/fleet/tailnet"
)

// leaving bounds one attempt to take a machine off the tailnet, in the middle of something that the captain waits for.
const leaving = 20 * time.Second

// JoinKey makes the key with which a machine joins the tailnet, and records the key's id before it returns the key.
// A crash in between leaves an unused key until it expires.
func (k *Keeper) JoinKey(ctx context.Context, id ID) (tailnet.Key, error) {
	var none tailnet.Key
	api, err := k.options.Tailnet()
	if err != nil {
		return none, err
	}
	if r, _ := k.Get(id); r.Tailnet != nil { // an attempt was interrupted; a machine that joined in it has lost its login, or it would ask for no key
		if _, _, err := api.RemoveDevices(ctx, *r.Tailnet); err != nil && !errors.Is(err, tailnet.ErrForeign) {
			return none, err
		}
	}
	key, err := api.MakeKey(ctx, id.Name)
	if err != nil {
		return none, err
	}
	if err := k.alter(id, func(r *Record) {
		r.Tailnet = &tailnet.Membership{Machine: id.Name, Tag: api.DeviceTag(), Client: api.Client(), Began: key.Minted, Last: time.Now(), Key: key.ID}
	}); err != nil {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), leaving)
		defer cancel()
		_ = api.Revoke(ctx, key.ID) // else it ends by itself
		return none, err
	}
	return key, nil
}

// Joined waits until the device of a machine that has joined with its key is listed, and records it. What the
// machine says of itself does not count: the device may be another machine's, or have another address than ip, and is
// not recorded then.
func (k *Keeper) Joined(ctx context.Context, id ID, ip string) (tailnet.Device, error) {
	var d tailnet.Device
	api, err := k.options.Tailnet()
	if err != nil {
		return d, err
	}
	r, _ := k.Get(id)
	if r.Tailnet == nil {
		return d, fmt.Errorf("no key was made for %s", id.Name)
	}
	if d, err = api.AwaitDevice(ctx, *r.Tailnet); err != nil {
		return d, err
	}
	if !slices.ContainsFunc(d.IPs, func(own netip.Addr) bool { return own.String() == ip }) {
		return d, fmt.Errorf("it says that it has the address %s, and Tailscale says otherwise", ip)
	}
	all, err := k.All()
	if err != nil {
		return d, err
	}
	for _, other := range all {
		if other.Tailnet != nil && other.Tailnet.Node == d.ID && other.ID != id {
			return d, fmt.Errorf("the device that Tailscale has for it is that of %s", other.Name)
		}
	}
	return d, k.change(id, func(r *Record) {
		if r.Tailnet != nil {
			r.Tailnet.Node = d.ID
		}
	})
}

// leave takes a machine that is gone off the tailnet, and forgets it when that is done: when its device was removed, or
// when two looks in vain were far enough apart. One answer that lacks a device may be wrong.
func (k *Keeper) leave(r Record) (Record, error) {
	ctx, cancel := context.WithTimeout(k.ctx, leaving)
	defer cancel()
	api, err := k.options.Tailnet()
	gone, removed := false, false
	if err == nil {
		gone, removed, err = api.RemoveDevices(ctx, *r.Tailnet)
	}
	missed := r.Tailnet.Missed
	switch {
	case k.ctx.Err() != nil:
		return r, k.ctx.Err()
	case gone && (removed || !missed.IsZero() && time.Since(missed) >= k.options.Proof):
		now, lost := k.left(r.ID, *r.Tailnet)
		now.Trouble = trouble(err) // another's device was left alone
		return now, lost
	case gone && missed.IsZero():
		missed = time.Now()
	case err != nil: // it was seen, or the look failed: the count of looks in vain restarts
		missed = time.Time{}
	}
	r.Trouble = trouble(err)
	return r, k.change(r.ID, func(now *Record) {
		if now.Trouble = r.Trouble; now.Tailnet != nil {
			now.Tailnet.Missed = missed
		}
	})
}
