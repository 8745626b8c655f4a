package machines

import (
	"cmp"
	"context"
	"errors"
	"time"

	"ocaptain/fleet/provider"
)

// recorded is a provider that keeps records of its machines, from before the request until the proof that they are
// gone.
type recorded struct {
	provider.Provider
	k *Keeper
}

// Create records the machine and its account, and then makes it.
func (p recorded) Create(ctx context.Context, spec provider.Spec) (provider.Machine, error) {
	var none provider.Machine
	id := ID{p.Name(), spec.Name}
	p.k.mu.Lock()
	m := p.k.machine(id)
	p.k.mu.Unlock()
	if err := m.turn.Lock(ctx); err != nil {
		return none, err
	}
	defer m.turn.Unlock()
	account, err := p.k.account(ctx, p.Provider, spec.Name)
	if err != nil {
		return none, err
	}
	was, _ := p.k.Get(id)
	r := Record{ID: id, Voyage: spec.Labels["voyage"], Asked: time.Now().UTC(), Account: account, Tailnet: was.Tailnet}
	if err := p.k.Put(r); err != nil {
		return none, err
	}
	if was.Gone {
		p.k.pokeNow(id) // after this, no attempt relies on the old state
	}
	made, err := p.Provider.Create(ctx, spec)
	return made, errors.Join(err, p.k.change(id, func(r *Record) {
		r.Asked = time.Now().UTC()
		r.Own = cmp.Or(made.ID, r.Own)
	}))
}

// Ensure never says that a machine of another account is gone, nor a machine that a single look has missed: until there is
// proof, the error is *Unproven.
func (p recorded) Ensure(ctx context.Context, name string) (provider.Machine, error) {
	id, began := ID{p.Name(), name}, time.Now()
	m, err := p.Provider.Ensure(ctx, name)
	missed := errors.Is(err, provider.ErrNotFound)
	if missed {
		if _, other := p.k.account(ctx, p.Provider, name); other != nil {
			return m, other
		}
	}
	r, there := p.k.Get(id)
	switch {
	case there && missed:
		unproven := p.k.miss(&r, began, p.k.late(p), false)
		noted := p.k.change(id, func(now *Record) { now.Missed = r.Missed })
		return m, errors.Join(cmp.Or(unproven, err), noted)
	case there && err == nil:
		return m, p.k.saw(&r, m, list{})
	}
	return m, err
}

// Destroy makes the keeper destroy the machine.
func (p recorded) Destroy(ctx context.Context, name string) error {
	return p.k.Destroy(ctx, ID{p.Name(), name}, "", nil)
}

// Forget does nothing, since the keeper manages the records.
func (p recorded) Forget(context.Context, string) error { return nil }
