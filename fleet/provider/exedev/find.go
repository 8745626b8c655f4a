package exedev

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"ocaptain/fleet/provider"
)

// Get returns one machine, or provider.ErrNotFound.
func (p *Provider) Get(ctx context.Context, name string) (provider.Machine, error) {
	r, v, err := p.find(ctx, name)
	if err != nil {
		return provider.Machine{}, err
	}
	return p.machine(r, v), nil
}

// find looks for a machine here and there.
func (p *Provider) find(ctx context.Context, name string) (*record, vm, error) {
	r, err := p.load(name)
	if err != nil {
		return nil, vm{}, err
	}
	all, err := p.list(ctx)
	if err != nil {
		return nil, vm{}, err
	}
	v, there := all[p.vmName(name)]
	if !there && r.Account != "" {
		me, err := p.whoami(ctx)
		if err != nil {
			return nil, vm{}, err
		}
		if err := r.of(me.Email); err != nil {
			return nil, vm{}, err
		}
	}
	if !there || r.Asked.IsZero() {
		return nil, vm{}, fmt.Errorf("exe.dev machine %s: %w", name, provider.ErrNotFound)
	}
	return r, v, nil
}

// List returns the machines that have all the labels. Where none was ever asked for, exe.dev
// need not be reached.
func (p *Provider) List(ctx context.Context, labels map[string]string) ([]provider.Machine, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	records, err := p.records(labels)
	if err != nil || len(records) == 0 {
		return nil, err
	}
	all, err := p.list(ctx)
	if err != nil {
		return nil, err
	}
	var found []provider.Machine
	for _, r := range records {
		if v, there := all[p.vmName(r.Name)]; there && !r.Asked.IsZero() {
			found = append(found, p.machine(r, v))
		}
	}
	return found, nil
}

// Ensure restarts a machine that stopped.
func (p *Provider) Ensure(ctx context.Context, name string) (provider.Machine, error) {
	r, v, err := p.find(ctx, name)
	if err != nil {
		return provider.Machine{}, err
	}
	if r.Made && v.state() == provider.Running {
		p.follow(r, v)
		return p.machine(r, v), nil
	}
	unlock, err := p.lock(ctx, name)
	if err != nil {
		return provider.Machine{}, err
	}
	if r, v, err = p.find(ctx, name); err != nil {
		unlock(errors.Is(err, provider.ErrNotFound) && r == nil && !p.exists(name))
		return provider.Machine{}, err
	}
	defer unlock(false)
	return p.bringUp(ctx, r, v)
}

// follow keeps a new address of a machine. That it cannot be kept shows when it is dialled.
func (p *Provider) follow(r *record, v vm) {
	if m := p.machine(r, v); m.Addr != r.Addr || m.User != r.User {
		r.Addr, r.User = m.Addr, m.User
		_ = p.save(r)
	}
}

func (p *Provider) exists(name string) bool {
	_, err := os.Lstat(p.file(name))
	return err == nil
}

// Destroy removes the machine, and returns when it is listed no more. One that was asked for
// and has not been seen yet is waited for: it may still come.
func (p *Provider) Destroy(ctx context.Context, name string) error {
	if !p.valid(name) || !p.exists(name) {
		return ctx.Err()
	}
	unlock, err := p.lock(ctx, name)
	if err != nil {
		return err
	}
	gone := false
	defer func() { unlock(gone) }()
	r, err := p.load(name)
	if errors.Is(err, provider.ErrNotFound) {
		gone = true
		return nil
	}
	if err != nil {
		return err
	}
	if err := p.remove(ctx, r); err != nil {
		return fmt.Errorf("destroy exe.dev machine %s: %w", name, err)
	}
	if err := os.Remove(p.file(name)); err != nil {
		return fmt.Errorf("forget exe.dev machine %s: %w", name, err)
	}
	gone = true
	return nil
}

// remove returns when the machine is not there and will not come. How long it may take to come
// counts from now: the one that was asked for may have waited for its turn since it was recorded.
func (p *Provider) remove(ctx context.Context, r *record) error {
	if r.Asked.IsZero() {
		return nil // what has that name is not ours
	}
	seen, began := r.Made, time.Now()
	ours := r.Account == "" // whether this account would list it
	for pause := 100 * time.Millisecond; ; pause = min(2*pause, 3*time.Second) {
		all, err := p.list(ctx)
		if err != nil {
			return err
		}
		_, there := all[p.vmName(r.Name)]
		seen, ours = seen || there, ours || there
		if !ours {
			me, err := p.whoami(ctx)
			if err != nil {
				return err
			}
			if err := r.of(me.Email); err != nil {
				return fmt.Errorf("%w; if both are the same account, remove %s", err, p.file(r.Name))
			}
			ours = true
		}
		if !there && (seen || time.Since(began) > p.options.Settle) {
			return nil
		}
		if there {
			if _, err := p.again(ctx, "rm", p.vmName(r.Name)); err != nil {
				var no *refusal
				if all, e := p.list(ctx); e == nil && errors.As(err, &no) {
					if _, there := all[p.vmName(r.Name)]; !there {
						return nil
					}
				}
				return err
			}
			pause = 100 * time.Millisecond
			continue
		}
		if err := sleep(ctx, pause); err != nil {
			return err
		}
	}
}
