package exedev

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"ocaptain/fleet/provider"
	"ocaptain/fleet/retry"
)

// Get returns one machine, or provider.ErrNotFound.
func (p *Provider) Get(ctx context.Context, name string) (provider.Machine, error) {
	r, v, err := p.findVM(ctx, name)
	if err != nil {
		return provider.Machine{}, err
	}
	return p.machine(r, v), nil
}

// findVM looks for a machine here and there.
func (p *Provider) findVM(ctx context.Context, name string) (*record, vm, error) {
	r, err := p.load(name)
	if err != nil {
		return nil, vm{}, err
	}
	all, err := p.list(ctx)
	if err != nil {
		return nil, vm{}, err
	}
	v, there := all[p.vmName(name)]
	if there && !r.Asked.IsZero() {
		return r, v, nil
	}
	return nil, vm{}, fmt.Errorf("exe.dev machine %s: %w", name, p.absent(ctx, r, all))
}

// List returns the machines that have all the labels. If none was ever requested, exe.dev need not
// be reached.
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
	r, v, err := p.findVM(ctx, name)
	if err != nil {
		return provider.Machine{}, err
	}
	if r.Made && v.stateOf() == provider.Running {
		p.follow(r, v)
		return p.machine(r, v), nil
	}
	unlock, err := p.lockRecord(ctx, name)
	if err != nil {
		return provider.Machine{}, err
	}
	if r, v, err = p.findVM(ctx, name); err != nil {
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
	_, err := os.Lstat(p.recordFile(name))
	return err == nil
}

// Destroy removes the machine, and returns when it is no longer listed. A requested machine that is
// not listed may still come: its record stays until Forget.
func (p *Provider) Destroy(ctx context.Context, name string) error {
	if !p.validName(name) || !p.exists(name) {
		return ctx.Err() // it was never asked for
	}
	unlock, err := p.lockRecord(ctx, name)
	if err != nil {
		return err
	}
	defer func() { unlock(!p.exists(name)) }()
	r, err := p.load(name)
	if errors.Is(err, provider.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	if r.Asked.IsZero() {
		return nil // what has that name is not ours
	}
	if err := p.remove(ctx, p.vmName(r.Name), r); err != nil {
		return fmt.Errorf("destroy exe.dev machine %s: %w", name, err)
	}
	return nil
}

// Forget removes the record of a machine.
func (p *Provider) Forget(ctx context.Context, name string) error {
	if !p.validName(name) || !p.exists(name) {
		return nil
	}
	unlock, err := p.lockRecord(ctx, name)
	if err != nil {
		return err
	}
	err = os.Remove(p.recordFile(name))
	unlock(err == nil || errors.Is(err, fs.ErrNotExist))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("forget exe.dev machine %s: %w", name, err)
	}
	return nil
}

// remove removes a machine by its name at exe.dev. It returns nil when the lobby did so and no longer lists the
// machine, provider.ErrNotFound when the machine is not listed and the lobby did not confirm its removal. For a
// machine that is not listed, the record r says whether the account that was asked would list it; r is nil when there
// is no record.
func (p *Provider) remove(ctx context.Context, vmName string, r *record) error {
	confirmed := false
	for pauses := retry.Doubling(100*time.Millisecond, 3*time.Second); ; {
		all, err := p.list(ctx)
		if err != nil {
			return err
		}
		_, there := all[vmName]
		switch {
		case !there && confirmed:
			return nil
		case !there:
			return p.absent(ctx, r, all)
		}
		if err := p.listedBy(ctx, r); err != nil {
			return err
		}
		_, err = p.runAgain(ctx, "rm", vmName)
		var no *refusal
		switch {
		case err == nil:
			confirmed = true
		case !errors.As(err, &no):
			return err
		case !confirmed: // what was refused may be gone all the same, and lists may lag
			all, e := p.list(ctx)
			if e != nil {
				return err
			}
			if _, there := all[vmName]; there {
				return err
			}
			continue
		}
		if err := retry.Sleep(ctx, pauses.NextBackOff()); err != nil {
			return err
		}
	}
}

// absent is the error of a machine that is not listed: its account may be another, and it may have another name.
func (p *Provider) absent(ctx context.Context, r *record, all map[string]vm) error {
	if r == nil {
		return provider.ErrNotFound
	}
	for _, v := range all {
		if addr, user, err := v.address(); err == nil && addr == r.Addr && (user == "" || user == r.User) {
			return fmt.Errorf("it is not listed, and %s has its address %s: if that is its new name, name it %s again, with: ssh exe.dev rename %s %s; if it is another machine, remove %s",
				shortLine([]byte(v.Name)), addr, p.vmName(r.Name), shortLine([]byte(v.Name)), p.vmName(r.Name), p.recordFile(r.Name))
		}
	}
	me, err := p.whoami(ctx)
	if err != nil {
		return err
	}
	if err := r.checkAccount(me.Email); err != nil {
		return err
	}
	return provider.ErrNotFound
}

// listedBy notes whose list has a machine: once it is destroyed, no list tells any more.
func (p *Provider) listedBy(ctx context.Context, r *record) error {
	if r == nil {
		return nil
	}
	me, err := p.askIdentity(ctx)
	if err != nil || me.Email == r.Account {
		return err
	}
	r.Account = me.Email
	return p.save(r)
}
