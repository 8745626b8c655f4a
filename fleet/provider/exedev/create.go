package exedev

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"time"

	"golang.org/x/crypto/ssh"

	"ocaptain/fleet/provider"
	"ocaptain/fleet/retry"
)

// Create makes a machine, or adopts the machine of an attempt whose answer was lost. It adds the key to the account,
// since exe.dev lets in every key of the account.
func (p *Provider) Create(ctx context.Context, spec provider.Spec) (provider.Machine, error) {
	var none provider.Machine
	if !p.records.valid(spec.Name) {
		return none, fmt.Errorf("bad name %q for an exe.dev machine: lower case letters, digits and dashes, %d at most", spec.Name, p.Limits().NameMax)
	}
	key, _, _, _, err := ssh.ParseAuthorizedKey([]byte(spec.AuthorizedKey))
	if err != nil {
		return none, fmt.Errorf("key for exe.dev machine %s: %w", spec.Name, err)
	}
	unlock, err := p.records.lock(ctx, spec.Name)
	if err != nil {
		return none, err
	}
	defer unlock(false)
	r, err := p.records.load(spec.Name)
	switch {
	case errors.Is(err, provider.ErrNotFound):
		r = newRecord(spec.Name, spec.Labels)
	case err != nil:
		return none, err
	case !maps.Equal(r.Labels, spec.Labels):
		return none, fmt.Errorf("exe.dev machine %s: %w", spec.Name, provider.ErrTaken)
	}
	account, err := p.lobby.addKey(ctx, key)
	if err != nil {
		return none, err
	}
	all, err := p.lobby.list(ctx)
	if err != nil {
		return none, err
	}
	v, listed := all[p.records.vmName(r.Name)]
	switch {
	case listed && r.Asked.IsZero(): // listed before this install has requested it, so it is not ours
		return none, fmt.Errorf("exe.dev machine %s: %w", r.Name, provider.ErrTaken)
	case listed:
		r.Account = account // the machine belongs to the account that lists it, whatever the record says
		return p.bringUp(ctx, r, v)
	case !r.Asked.IsZero():
		if err := r.checkAccount(account); err != nil {
			return none, err
		}
		if r.Made { // somebody else has destroyed the machine since
			r = newRecord(spec.Name, spec.Labels)
		}
	}
	r.Account = account
	v, err = p.createVM(ctx, r, spec)
	if err != nil {
		return none, err
	}
	return p.bringUp(ctx, r, v)
}

// createVM requests the machine. If an attempt gets no answer, the list decides: a listed machine is adopted; one
// that is not listed is requested again under the same name, which exe.dev never gives to two machines.
func (p *Provider) createVM(ctx context.Context, r *record, spec provider.Spec) (vm, error) {
	pauses := retry.Doubling(time.Second, time.Minute)
	for attempt := 1; ; attempt++ {
		first := r.Asked.IsZero()
		r.Asked = time.Now().UTC()
		if err := p.records.save(r); err != nil {
			return vm{}, err
		}
		out, err := p.lobby.runOnce(ctx, "new", "--name="+p.records.vmName(r.Name), "--no-email", "--json")
		if err == nil {
			var v vm
			if decode(out, &v) == nil && v.Name == p.records.vmName(r.Name) {
				return v, nil
			}
			err = &broken{err: fmt.Errorf("exe.dev: new: an answer that makes no sense: %s", shortLine(out))}
		}
		if ctx.Err() != nil {
			return vm{}, err
		}
		var lost *broken
		again := errors.As(err, &lost)
		if !again || !lost.undone {
			v, there, e := p.appears(ctx, r, !again && first && !isTaken(err))
			switch {
			case e != nil && !again:
				return vm{}, err
			case e != nil:
				return vm{}, errors.Join(err, e)
			case there:
				return v, nil
			case !again && isTaken(err):
				// Somebody else at exe.dev has the name, or this very request has. The record stays, since only time shows which.
				return vm{}, fmt.Errorf("exe.dev machine %s: %w (%w)", r.Name, provider.ErrTaken, err)
			case !again:
				return vm{}, err // the machine may have been made all the same, so its record stays
			}
		}
		if attempt == attempts {
			return vm{}, &provider.Temporary{Err: err}
		}
		pause := pauses.NextBackOff()
		if lost != nil {
			pause = max(pause, lost.after)
		}
		spec.Wait(err)
		if e := retry.Sleep(ctx, pause); e != nil {
			return vm{}, fmt.Errorf("%w; %w", e, err)
		}
	}
}

// appears reports whether the machine exists after all. It waits a while for it, unless the request was refused at
// once.
func (p *Provider) appears(ctx context.Context, r *record, refused bool) (v vm, there bool, err error) {
	for pause := 250 * time.Millisecond; ; pause *= 2 {
		all, err := p.lobby.list(ctx)
		if err != nil {
			return vm{}, false, err
		}
		if v, there = all[p.records.vmName(r.Name)]; there || refused || pause > p.options.Settle/8 {
			return v, there, nil
		}
		if err := retry.Sleep(ctx, pause); err != nil {
			return vm{}, false, err
		}
	}
}
