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

// leaving bounds one attempt to remove a machine from the tailnet, since the captain may be waiting for it.
const leaving = 20 * time.Second

// JoinKey makes the key with which a machine joins the tailnet. It records the key's id before it returns the key, so
// a crash in between leaves only an unused key, which expires.
func (k *Keeper) JoinKey(ctx context.Context, id ID) (tailnet.Key, error) {
	var none tailnet.Key
	api, err := k.options.Tailnet()
	if err != nil {
		return none, err
	}
	if r, _ := k.Get(id); r.Tailnet != nil { // an earlier attempt was interrupted; if its machine had joined and still had its login, it would ask for no key
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
		_ = api.Revoke(ctx, key.ID) // otherwise the key expires by itself
		return none, err
	}
	return key, nil
}

// Joined waits until the device that has joined with the machine's key is listed, and records it. It does not trust
// what the machine says about itself: if the device is another machine's or its address differs from ip, it is not
// recorded.
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

// leave removes a machine that is gone from the tailnet, and removes its record after that. Proof is that the device
// was removed, or that two looks far enough apart did not find it; one answer that lacks a device may be wrong.
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
		now.Trouble = trouble(err) // another machine's device was left alone
		return now, lost
	case gone && missed.IsZero():
		missed = time.Now()
	case err != nil: // the device was seen, or the look failed: begin to count failed looks again
		missed = time.Time{}
	}
	r.Trouble = trouble(err)
	return r, k.change(r.ID, func(now *Record) {
		if now.Trouble = r.Trouble; now.Tailnet != nil {
			now.Tailnet.Missed = missed
		}
	})
}
